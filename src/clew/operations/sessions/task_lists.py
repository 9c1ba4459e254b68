"""Task lists of checkpoints."""

from __future__ import annotations

from collections.abc import Iterable

from clew.errors import StoreDamaged
from clew.model.checkpoint import Checkpoint
from clew.model.ids import ObjectId
from clew.model.task import Task, decode_tasks
from clew.operations.context import Context
from clew.policy.labels import redacted_task


def with_tasks(context: Context, checkpoint: Checkpoint) -> Checkpoint:
    """Return a checkpoint with its task list, if it belongs to a session."""
    return with_all_tasks(context, [checkpoint])[0]


def with_all_tasks(context: Context, checkpoints: Iterable[Checkpoint]) -> list[Checkpoint]:
    """Return checkpoints with their task lists; an unreadable list is left out."""
    known: dict[ObjectId, tuple[Task, ...] | None] = {}
    found = []
    for checkpoint in checkpoints:
        position = checkpoint.record.position
        if position.tasks is not None and position.tasks not in known:
            known[position.tasks] = _read(context, position.tasks)
        tasks = known[position.tasks] if position.tasks is not None else None
        found.append(checkpoint._replace(tasks=tasks))
    return found


def _read(context: Context, identifier: ObjectId) -> tuple[Task, ...] | None:
    try:
        return tuple(map(redacted_task, decode_tasks(context.store.objects.get(identifier))))
    except (StoreDamaged, ValueError):
        return None  # the timeline is shown without it; `clew fsck` reports the damage
