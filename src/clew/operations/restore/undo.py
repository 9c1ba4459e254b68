"""Undo and redo: steps along the trail; see `store/trail.py`."""

from __future__ import annotations

from clew.errors import BadOption, DirtyWorkspace, NothingToRedo, NothingToUndo, WorkspaceMissing
from clew.model.checkpoint import Checkpoint
from clew.model.ids import CheckpointId
from clew.model.restore_results import RestoreResult
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.history.references import say_instead
from clew.operations.restore.journal import TrailMove
from clew.operations.restore.restore import Confirm, RestoreOptions, restore
from clew.operations.save.scan import scan_live


def undo(context: Context, steps: int, confirm: Confirm | None, monitor: Monitor) -> RestoreResult:
    """Undo the last `steps` saves, restores or edits."""
    if steps < 1:
        raise BadOption("N", "must be 1 or more")
    here = context.here
    if here is None:
        raise NothingToUndo
    trail = context.store.trails.get(context.workspace)
    ahead = [] if trail.cursor is None else [(trail.cursor, here.id)]
    # Unsaved work is the last step: undoing it restores *here*, and its rescue
    # goes onto the trail right after here, so that a redo restores the work.
    reachable = (ahead if _is_dirty(context, here, monitor) else []) + _surviving(
        context, trail.back
    )
    if len(reachable) < steps:
        raise NothingToUndo
    position, identifier = reachable[steps - 1]
    _say_what_is_gone(context, trail.back, position, identifier, monitor)
    return _restore(context, context.find(identifier), TrailMove(position), confirm, monitor)


def redo(context: Context, confirm: Confirm | None, monitor: Monitor) -> RestoreResult:
    """Redo the last undo."""
    forward = _surviving(context, context.store.trails.get(context.workspace).forward)
    here = context.here
    if not forward or here is None:
        raise NothingToRedo
    if _is_dirty(context, here, monitor):
        raise DirtyWorkspace
    position, identifier = forward[0]
    return _restore(context, context.find(identifier), TrailMove(position), confirm, monitor)


def _is_dirty(context: Context, here: Checkpoint, monitor: Monitor) -> bool:
    try:
        found, _ = scan_live(context, monitor)
    except WorkspaceMissing:
        return True
    return found.state != here.record.state


def _surviving(
    context: Context, entries: list[tuple[int, CheckpointId]]
) -> list[tuple[int, CheckpointId]]:
    """Return the entries whose checkpoint still exists."""
    return [item for item in entries if context.store.checkpoints.get(item[1]) is not None]


def _say_what_is_gone(
    context: Context,
    back: list[tuple[int, CheckpointId]],
    position: int,
    target: CheckpointId,
    monitor: Monitor,
) -> None:
    """Report removed steps of the trail that are skipped."""
    tombstone = context.store.checkpoints.tombstone
    passed = [gone for place, one in back if place > position and (gone := tombstone(one))]
    if passed:
        say_instead(passed[0], target, monitor, more=len(passed) - 1)


def _restore(
    context: Context,
    target: Checkpoint,
    move: TrailMove,
    confirm: Confirm | None,
    monitor: Monitor,
) -> RestoreResult:
    options = RestoreOptions(move=move, intent="before an undo", confirm=confirm)
    return restore(context, target, options, monitor)
