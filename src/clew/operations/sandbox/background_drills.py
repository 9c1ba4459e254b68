"""Background drills: start the detached process that drills a restore once in a while.

The setting `drill.every` is the period; it is off by default.  A commit starts the process if the
last drill is older than that.  As with background stories, there is at most one for each workspace:
it is given the lock `drill-<workspace>`, open.  The time of the lock file is that of the last
attempt, so a drill that cannot finish is not tried again with every commit.

The process has the lowest priority.  While it writes the copy it holds the store's lock, shared:
saves and restores do not wait for that, gc does.
"""

from __future__ import annotations

from clew.errors import ClewError
from clew.model.quantity import parse_duration
from clew.operations.background_process import start_background_process
from clew.operations.context import Context

EVERY = "drill.every"
"""The setting with the period: a duration, or `off`."""
OFF = "off"

_MODULE = "clew.operations.sandbox.drill_process"
_RETRY_NS = 3600 * 1_000_000_000


def start_background_drill(context: Context) -> None:
    """Start the process if a drill is due; a failure never affects the caller."""
    every = context.store.settings.all(context.workspace).get(EVERY, OFF)
    if every == OFF:
        return
    try:
        if not is_due(context, every):
            return
        start_background_process(context, _MODULE, context.store.locks.try_drill)
    except (ClewError, OSError, ValueError):
        return  # a later commit starts it


def is_due(context: Context, every: str) -> bool:
    """Return whether the last drill, and the last attempt, are long enough ago."""
    from clew.worktree.interpreter import may_start_detached  # noqa: PLC0415 - most saves need none

    if not context.store.writable or not may_start_detached():
        return False
    period, now = parse_duration(every), context.host.now_ns()
    if now - context.store.locks.last_drill_ns(context.workspace) < min(period, _RETRY_NS):
        return False
    latest = context.store.drills.latest(context.workspace)
    found = context.store.checkpoints.get(latest) if latest is not None else None
    return found is None or found.drill is None or now - found.drill.time_ns >= period
