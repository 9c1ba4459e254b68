"""Restore journal: unfinished restores, so that they can be continued or aborted.

A row holds the resolved plan, not the arguments of the command; `phase` is the progress: *staging*,
with nothing moved yet; *switching*; or *abandoned*, if the restore was aborted before anything was
moved and only its stage could not be removed.
The original mode and flags of directories that must be made writable (read-only mode, immutable flag)
are recorded here before they are changed.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple
from clew.store.database import Database

STAGING, SWITCHING, ABANDONED = "staging", "switching", "abandoned"


class UnfinishedRestore(NamedTuple):
    """A restore that was interrupted."""

    workspace: bytes
    stage: str
    plan: bytes
    phase: str
    started_ns: int = 0


class OpenedDirectory(NamedTuple):
    """A directory whose mode or flags are changed during a restore."""

    path: bytes
    mode: int
    flags: int


class Journal:
    """The rows of the restores and opened tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def unfinished(self, workspace: bytes) -> UnfinishedRestore | None:
        row = self._database.one(
            "SELECT workspace, stage, plan, phase, started FROM restores WHERE workspace = ?",
            (workspace,),
        )
        return UnfinishedRestore(*row) if row else None

    def begin(self, workspace: bytes, stage: str, plan: bytes) -> None:
        self._database.execute(
            "INSERT OR REPLACE INTO restores VALUES (?, ?, ?, ?, ?)",
            (workspace, stage, plan, STAGING, self._database.now_ns()),
        )

    def begin_switching(self, workspace: bytes) -> None:
        """Record that everything is staged, and that files are moved from now on."""
        self._database.execute(
            "UPDATE restores SET phase = ? WHERE workspace = ?", (SWITCHING, workspace)
        )

    def abandon(self, workspace: bytes) -> None:
        """Record that the restore is aborted, and that only its stage remains to be removed."""
        self._database.execute(
            "UPDATE restores SET phase = ? WHERE workspace = ?", (ABANDONED, workspace)
        )

    def change_plan(self, workspace: bytes, plan: bytes) -> None:
        """Replace the plan of a restore that continues elsewhere; stage and phase are unchanged."""
        self._database.execute(
            "UPDATE restores SET plan = ? WHERE workspace = ?", (plan, workspace)
        )

    def end(self, workspace: bytes) -> None:
        """Delete the restore; inside the transaction that moves the trail."""
        self._database.execute("DELETE FROM restores WHERE workspace = ?", (workspace,))
        self._database.execute("DELETE FROM opened WHERE workspace = ?", (workspace,))

    def open_directory(self, workspace: bytes, path: bytes, mode: int, flags: int) -> None:
        """Record the original mode and flags of a directory; the first record is kept."""
        self._database.execute(
            "INSERT OR IGNORE INTO opened VALUES (?, ?, ?, ?)", (workspace, path, mode, flags)
        )

    def opened(self, workspace: bytes) -> list[OpenedDirectory]:
        rows = self._database.execute(
            "SELECT path, mode, flags FROM opened WHERE workspace = ? ORDER BY length(path) DESC",
            (workspace,),
        )
        return [OpenedDirectory(*row) for row in rows]
