"""The `min-free` limit: how much disk space a save leaves free.

Below it, caches are removed first, then automatic checkpoints.  If that is not enough, the save is
refused with the figures; checkpoints of a person are removed only with confirmation.
"""

from __future__ import annotations

import os

from clew.errors import NoSpaceForSave
from clew.model.amount import counted, size_text
from clew.model.retention import RetentionRule
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.maintenance.settings import AUTO, MIN_FREE, as_bytes, in_force

_MOST = 1 << 30
_SHARE = 50
"""The default limit is a fiftieth of the filesystem, at most 1 GiB."""
_MARGIN = 10
KEEP_LAST = 10
"""The `--keep-last` of the prune command that a refusal suggests."""


def min_free_bytes(context: Context) -> int:
    """Return how many bytes must stay free on the store's disk."""
    value = in_force(context)[MIN_FREE]
    if value != AUTO:
        return as_bytes(MIN_FREE, value)
    space = os.statvfs(context.store.layout.root)  # a filesystem in memory without a size gives 0
    return min(_MOST, space.f_blocks * space.f_frsize // _SHARE)


def min_free_warning(context: Context) -> str | None:
    """Return a warning that free space is below the limit; None if there is enough."""
    free, floor = _free(context), min_free_bytes(context)
    if free >= floor:
        return None
    return (
        f"Free disk space is {size_text(free)}, below the {size_text(floor)} of min-free:"
        " automatic checkpoints are pruned first, then saves fail"
    )


def keep_min_free(context: Context, monitor: Monitor) -> str | None:
    """Free disk space if it is below the limit; return what was removed, or refuse the save.

    It takes its own locks, so the caller holds none.
    """
    floor = min_free_bytes(context)
    before = _free(context)
    if before >= floor:
        return None
    from clew.operations.maintenance.gc import drop_caches  # noqa: PLC0415  most saves have room
    from clew.operations.maintenance.prune import prune_automatic  # noqa: PLC0415

    drop_caches(context.store)
    removed = []
    if _free(context) < floor:
        # A little more than needed, so that not every later save has to free space.
        enough = floor + floor // _MARGIN
        removed = prune_automatic(
            context, RetentionRule.MIN_FREE, lambda: _free(context) >= enough, monitor
        )
    if _free(context) < floor:
        raise _refusal(context, floor, monitor)
    what = counted(len(removed), "automatic checkpoint")
    were = "was" if len(removed) == 1 else "were"
    return f"Free disk space was below min-free, so {what} {were} pruned" if removed else None


def _refusal(context: Context, floor: int, monitor: Monitor) -> NoSpaceForSave:
    from clew.operations.maintenance.prune import removable_by_limit  # noqa: PLC0415  the same
    from clew.store.gc import reclaimable_bytes  # noqa: PLC0415

    with context.store.locks.shared(monitor):
        gone = removable_by_limit(context, KEEP_LAST)
        freed = reclaimable_bytes(context.store, gone) if gone else 0
    return NoSpaceForSave(_free(context), floor, len(gone), freed, KEEP_LAST)


def _free(context: Context) -> int:
    return context.host.free_bytes(context.store.layout.root)
