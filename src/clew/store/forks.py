"""Forks table: workspaces created from a checkpoint of another workspace."""

from __future__ import annotations

from itertools import count

from clew.model.checkpoint import ForkInfo
from clew.model.ids import CheckpointId
from clew.policy.labels import label
from clew.store.database import Database, Row

_COLUMNS = "SELECT workspace, source, base, name, managed, created FROM forks"


class ForkRows:
    """The rows of the forks table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, fork: ForkInfo) -> None:
        """Record the origin of a fork; inside the transaction that creates it."""
        self._database.execute(
            "INSERT INTO forks VALUES (?, ?, ?, ?, ?, ?)",
            (
                fork.workspace,
                fork.source,
                fork.base,
                fork.name,
                int(fork.managed),
                fork.created_ns or self._database.now_ns(),
            ),
        )

    def set_directory(self, workspace: bytes, *, managed: bool, created_ns: int) -> None:
        """Record that a fork has a directory now, created at that time."""
        self._database.execute(
            "UPDATE forks SET managed = ?, created = ? WHERE workspace = ?",
            (int(managed), created_ns, workspace),
        )

    def get(self, workspace: bytes) -> ForkInfo | None:
        """Return the origin of a workspace; None if it is not a fork."""
        row = self._database.one(_COLUMNS + " WHERE workspace = ?", (workspace,))
        return _info(row) if row else None

    def of(self, source: bytes) -> list[ForkInfo]:
        """Return the forks of a workspace, newest first."""
        rows = self._database.execute(
            _COLUMNS + " WHERE source = ? ORDER BY created DESC", (source,)
        )
        return [_info(row) for row in rows]

    def sources(self, workspace: bytes) -> list[bytes]:
        """Return the workspaces that a fork comes from, nearest first; none for one that is not a fork."""
        found: list[bytes] = []
        while (fork := self.get(workspace)) is not None and fork.source not in found:
            workspace = fork.source
            found.append(workspace)
        return found

    def bases(self) -> set[CheckpointId]:
        """Return the base checkpoints of the forks of all workspaces."""
        return {CheckpointId(row[0]) for row in self._database.execute("SELECT base FROM forks")}

    def remove(self, workspace: bytes) -> None:
        """Delete the row of a fork; inside a transaction."""
        self._database.execute("DELETE FROM forks WHERE workspace = ?", (workspace,))

    def free_name(self, source: bytes, wanted: str) -> str:
        """Return `wanted`, with a number appended if another fork has that name."""
        taken = {fork.name for fork in self.of(source)}
        names = (f"{wanted}-{number}" if number > 1 else wanted for number in count(1))
        return next(name for name in names if name not in taken)

    def hand_on(self, source: bytes, heir: bytes) -> None:
        """Move the forks of a workspace that is removed to `heir`; inside a transaction."""
        for fork in self.of(source):
            self._database.execute(
                "UPDATE forks SET source = ?, name = ? WHERE workspace = ?",
                (heir, self.free_name(heir, fork.name), fork.workspace),
            )


def _info(row: Row) -> ForkInfo:
    workspace, source, base, name, managed, created = row
    return ForkInfo(workspace, source, CheckpointId(base), label(name), bool(managed), created)
