"""The brief: what an agent's model must know after a restore.

Its memory no longer matches the disk: files are restored, effects are not, and later work that it
remembers was taken back.
"""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.session_results import Brief
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.history.references import resolve
from clew.operations.history.story import story_between, story_of, story_side
from clew.operations.sessions.outstanding_effects import outstanding_effects


def brief(context: Context, ref: str | None, monitor: Monitor) -> Brief:
    """Return what is true at a checkpoint, by default *here*, and what no longer is."""
    here = resolve(context, ref or "@", monitor)
    left = _left(context, here)
    undone = None
    if left is not None and left.record.tree != here.record.tree:
        undone = story_between(context, story_side(context, here), story_side(context, left))
    session = context.store.sessions.attached(context.workspace)
    tasks = context.store.tasks.of(session.id) if session is not None else []
    return Brief(
        checkpoint=here._replace(headline=story_of(context, here).headline),
        left=left,
        undone=undone.headline if undone is not None else None,
        effects=tuple(outstanding_effects(context, here)),
        open_tasks=tuple(task for task in tasks if task.is_incomplete),
    )


def _left(context: Context, here: Checkpoint) -> Checkpoint | None:
    """Return the state that was left for this one: the previous entry of the trail, or *here*."""
    trail = context.store.trails.get(context.workspace)
    if trail.here != here.id:
        return context.here
    for _, identifier in trail.back:
        found = context.store.checkpoints.get(identifier)
        if found is not None and found.record.sequence > here.record.sequence:
            return found
        if found is not None:
            return None  # a save led here: nothing was left
    return None
