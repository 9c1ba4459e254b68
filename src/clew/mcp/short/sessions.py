"""Short answers of the tools for tasks and effects."""

from __future__ import annotations

from clew.mcp.short import values, words
from clew.mcp.short.fit import MOST_BYTES, Section, fit, size
from clew.mcp.short.values import Full, Short, present
from clew.model.task import TaskStatus


def tasks(full: Full) -> Short:
    """Return the tasks, unfinished ones first if not all fit."""
    answer: Short = {
        "session": _session(full["session"]),
        "task_counts": values.nonzero(full["task_counts"]),
        "tasks": [_task(one) for one in full["tasks"]],
    }
    if size(answer) > MOST_BYTES:
        answer["tasks"].sort(key=lambda task: task["status"] in TaskStatus.ENDED)
    return fit(answer, [Section(answer, "tasks", 1, is_answer=True)])


def task(full: Full) -> Short:
    return {
        "session": _session(full["session"]),
        "task": _task(full["task"]),
        **present(is_new_session=full["is_new_session"]),
    }


def effects(full: Full) -> Short:
    """Return the effects, those that a restore removed from history first."""
    gone = set(full["effects_not_in_history"])
    ordered = sorted(full["effects"], key=lambda one: (one["number"] not in gone, -one["number"]))
    answer: Short = {
        "effects": [values.effect(one) for one in ordered],
        "effects_not_in_history": list(full["effects_not_in_history"]),
    }
    return fit(
        answer,
        [
            Section(answer, "effects", 0.85, is_answer=True),
            Section(answer, "effects_not_in_history", 0.15),
        ],
    )


def effect(full: Full) -> Short:
    return {"effect": values.effect(full["effect"])}


def _session(full: Full) -> Short:
    return {"id": full["short_id"], "agent": words.line(full["agent"], 40)}


def _task(full: Full) -> Short:
    return {
        "number": full["number"],
        "title": words.line(full["title"], 300),
        "status": full["status"],
        **present(note=words.line(full["note"])),
    }
