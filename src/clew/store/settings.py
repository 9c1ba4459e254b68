"""Settings table: values for one workspace or the whole store."""

from __future__ import annotations

import os

from clew.filenames import as_argument
from clew.store.database import Database

STORE_WIDE = b""


class SettingRows:
    """The rows of the config table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, workspace: bytes) -> dict[str, str]:
        """Return the effective settings: the store's, overridden by the workspace's."""
        rows = self._database.execute(
            "SELECT key, value FROM config WHERE workspace IN (?, ?) ORDER BY length(workspace)",
            (STORE_WIDE, workspace),
        )
        return {key: _text(value) for key, value in rows}

    def set(self, workspace: bytes, key: str, value: str) -> None:
        self._database.execute(
            "INSERT OR REPLACE INTO config VALUES (?, ?, ?)", (workspace, key, os.fsencode(value))
        )

    def unset(self, workspace: bytes, key: str) -> None:
        self._database.execute(
            "DELETE FROM config WHERE workspace = ? AND key = ?", (workspace, key)
        )


def _text(value: bytes | str) -> str:
    """Return a value as text; stored as bytes, because a pattern may contain any byte."""
    return as_argument(value) if isinstance(value, bytes) else value
