"""The floor: how much disk space a save leaves free.

Below it copies that can be made again go first, then automatic checkpoints.
If that is not enough the save is refused with the figures: what somebody made goes only with a yes.
"""

from __future__ import annotations

import os

from clew.errors import NoRoomForSave
from clew.model.amount import counted, size_text
from clew.model.retention import RetentionRule
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.maintenance.settings import AUTO, MIN_FREE, as_bytes, in_force

_MOST = 1 << 30
_SHARE = 50
"""By default the floor is a fiftieth of the filesystem, and 1 GiB at most."""
_MARGIN = 10
KEEP_LAST = 10
"""What the command keeps that a refusal names."""


def floor_bytes(context: Context) -> int:
    """Return how much of the store's disk is to stay free."""
    value = in_force(context)[MIN_FREE]
    if value != AUTO:
        return as_bytes(MIN_FREE, value)
    space = os.statvfs(context.store.layout.root)  # of memory without a size it is nothing
    return min(_MOST, space.f_blocks * space.f_frsize // _SHARE)


def floor_warning(context: Context) -> str | None:
    """Say that the next save must make room, or will be refused; None where there is room."""
    free, floor = _free(context), floor_bytes(context)
    if free >= floor:
        return None
    return (
        f"Free disk space is {size_text(free)}, below the {size_text(floor)} of min-free:"
        " automatic checkpoints go first, then saves are refused"
    )


def keep_floor(context: Context, monitor: Monitor) -> str | None:
    """Make room if the disk is below its floor, and say what that took; refuse if it cannot be made.

    It takes its own locks, so the caller holds none.
    """
    floor = floor_bytes(context)
    before = _free(context)
    if before >= floor:
        return None
    from clew.operations.maintenance.gc import drop_caches  # noqa: PLC0415  most saves have room
    from clew.operations.maintenance.prune import prune_automatic  # noqa: PLC0415

    drop_caches(context.store)
    removed = []
    if _free(context) < floor:
        # A little more than is needed, so that not every save from now on has to make room.
        enough = floor + floor // _MARGIN
        removed = prune_automatic(
            context, RetentionRule.MIN_FREE, lambda: _free(context) >= enough, monitor
        )
    if _free(context) < floor:
        raise _refusal(context, floor, monitor)
    what = counted(len(removed), "automatic checkpoint")
    were = "was" if len(removed) == 1 else "were"
    return f"Free disk space was below min-free, so {what} {were} pruned" if removed else None


def _refusal(context: Context, floor: int, monitor: Monitor) -> NoRoomForSave:
    from clew.operations.maintenance.prune import removable_by_limit  # noqa: PLC0415  the same
    from clew.store.gc import reclaimable_bytes  # noqa: PLC0415

    with context.store.locks.shared(monitor):
        gone = removable_by_limit(context, KEEP_LAST)
        freed = reclaimable_bytes(context.store, gone) if gone else 0
    return NoRoomForSave(_free(context), floor, len(gone), freed, KEEP_LAST)


def _free(context: Context) -> int:
    space = os.statvfs(context.store.layout.root)
    return space.f_bavail * space.f_frsize
