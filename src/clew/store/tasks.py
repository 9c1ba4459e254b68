"""Tasks table: the current task list of each session."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.task import Task
from clew.policy.labels import redacted_task
from clew.store.database import Database


class TaskRows:
    """The rows of the tasks table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, session: bytes) -> list[Task]:
        """Return a session's list, in order."""
        rows = self._database.execute(
            "SELECT number, title, status, note, time FROM tasks WHERE session = ? ORDER BY number",
            (session,),
        )
        return [redacted_task(Task(*row)) for row in rows]

    def put(self, session: bytes, task: Task) -> None:
        """Add or update a task."""
        self._database.execute(
            "INSERT OR REPLACE INTO tasks VALUES (?, ?, ?, ?, ?, ?)",
            (session, *redacted_task(task)),
        )

    def replace(self, session: bytes, tasks: Sequence[Task]) -> None:
        """Replace the whole list; inside a transaction."""
        self._database.execute("DELETE FROM tasks WHERE session = ?", (session,))
        self._database.execute_many(
            "INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?)",
            [(session, *redacted_task(task)) for task in tasks],
        )
