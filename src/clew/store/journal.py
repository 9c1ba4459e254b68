"""The journal of restores: what has begun and not ended, so that it can be continued or aborted.

A row holds the resolved plan, not the words it was asked with; `phase` says how far it came:
*staging*, with nothing moved yet; *switching*; or *abandoned*, where the restore was given up
before anything was moved and only its stage could not be removed.
Directories that had to be opened up (a read-only mode, an immutable flag) have their old value
here before they are touched.
"""

from __future__ import annotations

import time

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
    """A directory whose mode or flags were changed for the time of a restore."""

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
            (workspace, stage, plan, STAGING, time.time_ns()),
        )

    def begin_switching(self, workspace: bytes) -> None:
        """Say that everything is staged, and that from now on things are moved."""
        self._database.execute(
            "UPDATE restores SET phase = ? WHERE workspace = ?", (SWITCHING, workspace)
        )

    def abandon(self, workspace: bytes) -> None:
        """Say that the restore is given up, and that only its stage is left to be removed."""
        self._database.execute(
            "UPDATE restores SET phase = ? WHERE workspace = ?", (ABANDONED, workspace)
        )

    def change_plan(self, workspace: bytes, plan: bytes) -> None:
        """Replace the plan of a restore that goes on elsewhere; stage and phase stay."""
        self._database.execute(
            "UPDATE restores SET plan = ? WHERE workspace = ?", (plan, workspace)
        )

    def end(self, workspace: bytes) -> None:
        """Forget the restore; inside the transaction that moves the trail."""
        self._database.execute("DELETE FROM restores WHERE workspace = ?", (workspace,))
        self._database.execute("DELETE FROM opened WHERE workspace = ?", (workspace,))

    def open_directory(self, workspace: bytes, path: bytes, mode: int, flags: int) -> None:
        """Remember what a directory was; the first memory of it is the true one."""
        self._database.execute(
            "INSERT OR IGNORE INTO opened VALUES (?, ?, ?, ?)", (workspace, path, mode, flags)
        )

    def opened(self, workspace: bytes) -> list[OpenedDirectory]:
        rows = self._database.execute(
            "SELECT path, mode, flags FROM opened WHERE workspace = ? ORDER BY length(path) DESC",
            (workspace,),
        )
        return [OpenedDirectory(*row) for row in rows]
