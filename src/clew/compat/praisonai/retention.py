"""How many checkpoints are kept: so many as the service was told, and they really go.

`max_checkpoints` is a limit that the program sets, and counts as its yes for what the service made.
What a person saved in the same workspace by other means is not the service's, and stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.ids import CheckpointId
from clew.model.record import Origin
from clew.model.retention import RetentionRule
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.maintenance.delete import bury
from clew.operations.maintenance.protected import beginning, forked_from, restoring, verified
from clew.store.gc import gc
from clew.workspace import Workspace


def beyond(context: Context, limit: int) -> list[CheckpointId]:
    """Return the oldest checkpoints above `limit`; where the workspace is counts, and stays.

    What somebody saved by hand, named, pinned, verified or forked from stays too, and does not count.
    """
    here = context.here
    needed = restoring(context) | beginning(context) | forked_from(context) | verified(context)
    needed |= {here.id} if here is not None else set()
    candidates = [
        one.id
        for one in context.store.checkpoints.newest_first(context.workspace)
        if one.id not in needed
        and one.record.origin != Origin.MANUAL
        and not one.labels.named
        and not one.labels.pinned
    ]
    return candidates[max(limit - 1, 0) :]


def remove(
    ws: Workspace, chosen: Sequence[CheckpointId], rule: str = RetentionRule.MAX_CHECKPOINTS
) -> int:
    """Delete checkpoints and free what only they held; return how many there were.

    Unlike `ws.delete`, where the workspace is may go as well: the next checkpoint then follows the
    nearest one that is left.
    """
    with ws.reading_context() as context:
        store = context.store
    monitor = Monitor()
    with store.locks.workspace(ws.info.uuid, monitor), store.locks.shared(monitor):
        still = [one for one in chosen if store.checkpoints.get(one) is not None]
        if still:
            bury(context, still, rule=rule)
    if still:
        gc(store, monitor)
    return len(still)
