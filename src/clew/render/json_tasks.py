"""JSON of the `task` and `resume` commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.ids import short
from clew.model.task import count_tasks
from clew.render.json_session_values import session_value, task_value
from clew.render.json_values import checkpoint_value

if TYPE_CHECKING:
    from clew.model.session_results import Resume, TaskChange, TaskList
    from clew.render.shapes import sessions


def listed(found: TaskList) -> sessions.TaskListOutput:
    return {
        "session": session_value(found.session),
        "tasks": [task_value(task) for task in found.tasks],
        "task_counts": count_tasks(found.tasks),
    }


def changed(change: TaskChange) -> sessions.TaskOutput:
    return {
        "session": session_value(change.session),
        "task": task_value(change.task),
        "is_new_session": change.is_new_session,
    }


def resumed(found: Resume) -> sessions.ResumeOutput:
    checkpoint = found.checkpoint
    return {
        "session": session_value(found.session),
        "task": None if found.task is None else task_value(found.task),
        "is_done": found.task is None,
        "checkpoint": None if checkpoint is None else checkpoint_value(checkpoint),
        "command": None if checkpoint is None else f"clew restore {short(checkpoint.id)}",
        "tasks": [task_value(task) for task in found.tasks],
    }
