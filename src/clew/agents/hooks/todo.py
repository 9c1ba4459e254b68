"""To-do lists: tasks in the arguments of agents' own to-do tools."""

from __future__ import annotations

from clew.agents.hooks.events import Payload, items, text
from clew.model.task import TaskStatus

STATUSES = {
    "pending": TaskStatus.PENDING,
    "in_progress": TaskStatus.IN_PROGRESS,
    "completed": TaskStatus.COMPLETED,
    "cancelled": TaskStatus.SKIPPED,
    "deleted": TaskStatus.SKIPPED,
}

Plan = tuple[tuple[str, str], ...]


def plan_in(arguments: Payload, key: str, title: str) -> Plan:
    """Return the list in the arguments of a to-do tool: title and status of each task."""
    return tuple(
        (text(one, title), STATUSES.get(text(one, "status"), TaskStatus.PENDING))
        for one in items(arguments, key)
        if text(one, title)
    )
