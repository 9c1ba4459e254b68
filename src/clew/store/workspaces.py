"""Workspaces table: the directory trees registered in the store."""

from __future__ import annotations

import os

from clew.model.checkpoint import WorkspaceInfo
from clew.model.ids import CheckpointId
from clew.store.database import Database, Row

_COLUMNS = """
SELECT uuid, path, inode, machine,
  (SELECT trail.checkpoint FROM trail
   WHERE trail.workspace = workspaces.uuid AND trail.position = workspaces.cursor)
FROM workspaces
"""


class Workspaces:
    """The rows of the workspaces table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[WorkspaceInfo]:
        return [_info(row) for row in self._database.execute(_COLUMNS + " ORDER BY path")]

    def get(self, uuid: bytes) -> WorkspaceInfo | None:
        row = self._database.one(_COLUMNS + " WHERE uuid = ?", (uuid,))
        return _info(row) if row else None

    def at(self, path: bytes) -> WorkspaceInfo | None:
        """Return the workspace bound to exactly this path."""
        row = self._database.one(_COLUMNS + " WHERE path = ?", (path,))
        return _info(row) if row else None

    def add(self, path: bytes, inode: int, *, machine: bool) -> WorkspaceInfo:
        """Bind a new workspace to `path`."""
        uuid = os.urandom(16)
        with self._database.transaction():
            found = self.at(path)
            if found is not None:
                return found  # added by another process meanwhile
            self._database.execute(
                "INSERT INTO workspaces (uuid, path, inode, machine, created) VALUES (?, ?, ?, ?, ?)",
                (uuid, path, inode, int(machine), self._database.now_ns()),
            )
        return WorkspaceInfo(uuid, path, inode, machine, None)

    def insert(self, info: WorkspaceInfo, sequence: int) -> None:
        """Add a workspace that already has `sequence` checkpoints; inside their transaction.

        A workspace without a directory has an empty path; there may be many.
        """
        if info.path:
            self._database.execute(
                "UPDATE workspaces SET path = x'' WHERE path = ?", (info.path,)
            )  # as in `bind`
        self._database.execute(
            "INSERT INTO workspaces (uuid, path, inode, machine, sequence, created)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                info.uuid,
                info.path,
                info.inode,
                int(info.machine),
                sequence,
                self._database.now_ns(),
            ),
        )

    def remove(self, uuid: bytes) -> list[CheckpointId]:
        """Delete a workspace, its trail, settings and sessions; return the checkpoints to delete.

        Inside a transaction.
        """
        own_sessions = "SELECT id FROM sessions WHERE workspace = ?"
        for table in ("messages", "tasks", "touched"):
            self._database.execute(
                f"DELETE FROM {table} WHERE session IN ({own_sessions})", (uuid,)
            )
        for table in ("trail", "config", "restores", "opened", "sessions", "forgotten", "failures"):
            self._database.execute(f"DELETE FROM {table} WHERE workspace = ?", (uuid,))
        self._database.execute("DELETE FROM workspaces WHERE uuid = ?", (uuid,))
        rows = self._database.execute(
            "SELECT id FROM checkpoints WHERE workspace = ? AND deleted IS NULL", (uuid,)
        )
        return [CheckpointId(row[0]) for row in rows]

    def bind(self, uuid: bytes, path: bytes, inode: int) -> None:
        """Set the path of a workspace; another one bound to it is left without a directory."""
        with self._database.transaction():
            self._database.execute(
                "UPDATE workspaces SET path = x'' WHERE path = ? AND uuid <> ?", (path, uuid)
            )
            self._database.execute(
                "UPDATE workspaces SET path = ?, inode = ? WHERE uuid = ?", (path, inode, uuid)
            )

    def make_machine(self, uuid: bytes) -> None:
        """Mark a workspace as a whole machine's root."""
        self._database.execute("UPDATE workspaces SET machine = 1 WHERE uuid = ?", (uuid,))

    def next_sequence(self, uuid: bytes) -> int:
        """Return the next sequence number of a workspace; inside a transaction or under its lock."""
        row = self._database.one("SELECT sequence FROM workspaces WHERE uuid = ?", (uuid,))
        return (row[0] if row else 0) + 1


def _info(row: Row) -> WorkspaceInfo:
    uuid, path, inode, machine, here = row
    return WorkspaceInfo(uuid, path, inode, bool(machine), CheckpointId(here) if here else None)
