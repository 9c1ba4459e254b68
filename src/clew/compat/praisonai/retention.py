"""Retention: delete the oldest checkpoints above `max_checkpoints`, and free their space.

The program sets the limit, which authorises deleting checkpoints that the service created.
Checkpoints that a user saved in the same workspace by other means are retained.
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.ids import CheckpointId
from clew.model.record import Origin
from clew.model.retention import RetentionRule
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.maintenance.delete import make_tombstones
from clew.operations.maintenance.protected import beginning, forked_from, restoring, verified
from clew.store.gc import gc
from clew.workspace import Workspace


def above_limit(context: Context, limit: int) -> list[CheckpointId]:
    """Return the oldest checkpoints above `limit`; the current one counts, and is retained.

    Those saved by hand, named, pinned, verified or forked from are retained and not counted.
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
    """Delete checkpoints and free their space; return how many existed.

    Unlike `ws.delete`, this may delete the current checkpoint: the parent of the next one is then
    the nearest remaining ancestor.
    """
    with ws.reading_context() as context:
        store = context.store
    monitor = Monitor()
    with store.locks.workspace(ws.info.uuid, monitor), store.locks.shared(monitor):
        existing = [one for one in chosen if store.checkpoints.get(one) is not None]
        if existing:
            make_tombstones(context, existing, rule=rule)
    if existing:
        gc(store, monitor)
    return len(existing)
