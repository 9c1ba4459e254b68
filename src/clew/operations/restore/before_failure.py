"""The checkpoint before the last tool call that failed.

Only calls in the current line of history count: after a restore to before one, that one is undone.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.errors import NoFailedCall
from clew.model.checkpoint import Checkpoint
from clew.model.failed_call import BeforeFailure, FailedCall
from clew.model.ids import short
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.history.ancestry import line_from
from clew.operations.sessions.lineage import lineage_ids
from clew.operations.sessions.sessions import find_session


def before_failure(
    context: Context, session: str | None, monitor: Monitor
) -> tuple[Checkpoint, BeforeFailure]:
    """Return the checkpoint before the last failed call, and the call.

    If nothing has changed since, the failed call before it is named: that may be the one meant.
    """
    here = context.here
    found = _failures(context, session) if here is not None else iter(())
    for failed, target in found:
        assert here is not None
        if target.record.state == here.record.state:
            _suggest_earlier(found, here, failed, monitor)
        line = [one for one in line_from(context, here.id) if context.store.checkpoints.get(one)]
        return target, BeforeFailure(failed, line.index(target.id) if target.id in line else 0)
    raise NoFailedCall(session)


def _failures(context: Context, session: str | None) -> Iterator[tuple[FailedCall, Checkpoint]]:
    """Yield the failed calls in the current line of history, newest first."""
    here = context.here
    assert here is not None
    line = set(line_from(context, here.id))
    sessions = lineage_ids(context, find_session(context, session)) if session else None
    for failed in context.store.failures.newest_first(context.workspace, sessions):
        if failed.checkpoint not in line:
            continue
        before, _ = context.store.checkpoints.surviving(failed.before)
        if before is not None:
            yield failed, context.find(before)


def _suggest_earlier(
    found: Iterator[tuple[FailedCall, Checkpoint]],
    here: Checkpoint,
    failed: FailedCall,
    monitor: Monitor,
) -> None:
    for earlier, target in found:
        if target.record.state != here.record.state:
            monitor.notice(
                f"`{failed.call}` changed no file; to go back before `{earlier.call}` failed,"
                f" run `clew restore {short(target.id)}`"
            )
            return
