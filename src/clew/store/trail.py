"""Trail table: the checkpoints visited by save, restore, undo and redo, with a cursor at *here*.

    save      cut the trail after the cursor, append
    restore   cut; append the rescue, if one was taken; append the target
    undo      step back; with unsaved work: cut, append its rescue, and keep the cursor
    redo      step forward

Every change is made inside the transaction of the operation that causes it.
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.store.database import Database


class Trail(NamedTuple):
    """One workspace's trail."""

    entries: tuple[tuple[int, CheckpointId], ...]
    """Position and checkpoint, oldest first."""
    cursor: int | None

    @property
    def back(self) -> list[tuple[int, CheckpointId]]:
        """The entries that undo steps to, nearest first."""
        if self.cursor is None:
            return []
        return [item for item in reversed(self.entries) if item[0] < self.cursor]

    @property
    def forward(self) -> list[tuple[int, CheckpointId]]:
        """The entries that redo steps to, nearest first."""
        if self.cursor is None:
            return []
        return [item for item in self.entries if item[0] > self.cursor]

    @property
    def here(self) -> CheckpointId | None:
        return next((item[1] for item in self.entries if item[0] == self.cursor), None)


class Trails:
    """The trails of all workspaces."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, workspace: bytes) -> Trail:
        rows = self._database.execute(
            "SELECT position, checkpoint FROM trail WHERE workspace = ? ORDER BY position",
            (workspace,),
        )
        cursor = self._database.one("SELECT cursor FROM workspaces WHERE uuid = ?", (workspace,))
        return Trail(
            tuple((row[0], CheckpointId(row[1])) for row in rows), cursor[0] if cursor else None
        )

    def here(self, workspace: bytes) -> CheckpointId | None:
        """Return the checkpoint under the cursor, without the rest of the trail."""
        row = self._database.one(
            "SELECT checkpoint FROM trail WHERE workspace = ? AND position = "
            "(SELECT cursor FROM workspaces WHERE uuid = ?)",
            (workspace, workspace),
        )
        return CheckpointId(row[0]) if row else None

    def append(self, workspace: bytes, checkpoints: Sequence[CheckpointId]) -> None:
        """Cut the trail after the cursor, append, and move the cursor to the last entry."""
        cursor = self.get(workspace).cursor
        position = cursor if cursor is not None else 0
        self._database.execute(
            "DELETE FROM trail WHERE workspace = ? AND position > ?", (workspace, position)
        )
        for checkpoint in checkpoints:
            position += 1
            self._database.execute(
                "INSERT INTO trail VALUES (?, ?, ?)", (workspace, position, checkpoint)
            )
        self.move(workspace, position)

    def replace_here(self, workspace: bytes, checkpoint: CheckpointId) -> None:
        """Replace the checkpoint at the cursor; the rest of the trail is unchanged."""
        self._database.execute(
            "UPDATE trail SET checkpoint = ? WHERE workspace = ? AND position = "
            "(SELECT cursor FROM workspaces WHERE uuid = ?)",
            (checkpoint, workspace, workspace),
        )

    def move(self, workspace: bytes, position: int) -> None:
        """Move the cursor to an entry."""
        self._database.execute(
            "UPDATE workspaces SET cursor = ? WHERE uuid = ?", (position, workspace)
        )
