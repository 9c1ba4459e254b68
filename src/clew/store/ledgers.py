"""Ledgers: short numbered lists that an adapter stores, one per owner.

They are rows of the config table, under a hash of the owner's name instead of a workspace: so they are
backed up and survive a rebuild like settings, and do not appear in listings of settings.
A number is never reused, even after removals.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from clew.store.database import Database

Entry = dict[str, Any]

_PREFIX = "ledger:"
_STATE = f"{_PREFIX}state"


class Ledger:
    """One list; changes are written when the `changing` block ends."""

    def __init__(self, entries: dict[int, Entry], state: Entry) -> None:
        self.entries = entries
        """By number, in order."""
        self.state = state
        """Other data; `last` is the highest number ever assigned."""

    def add(self, entry: Entry) -> int:
        """Append an entry and return its number."""
        number = int(self.state.get("last", 0)) + 1
        self.state["last"] = number
        self.entries[number] = entry
        return number


class Ledgers:
    """All lists of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, owner: str) -> Ledger:
        """Return a list; empty for an unknown owner."""
        return _decoded(self._rows(owner))

    @contextmanager
    def changing(self, owner: str) -> Iterator[Ledger]:
        """Yield a list for exclusive modification; all changes are written, or none."""
        with self._database.transaction():
            before = self._rows(owner)
            ledger = _decoded(before)
            yield ledger
            self._write(owner, before, _encoded(ledger))

    def _rows(self, owner: str) -> dict[str, str]:
        rows = self._database.execute(
            "SELECT key, value FROM config WHERE workspace = ?", (owner_key(owner),)
        )
        return {key: value.decode() for key, value in rows if key.startswith(_PREFIX)}

    def _write(self, owner: str, before: dict[str, str], after: dict[str, str]) -> None:
        key = owner_key(owner)
        for name in before.keys() - after.keys():
            self._database.execute(
                "DELETE FROM config WHERE workspace = ? AND key = ?", (key, name)
            )
        for name, value in after.items():
            if before.get(name) != value:
                self._database.execute(
                    "INSERT OR REPLACE INTO config VALUES (?, ?, ?)", (key, name, value.encode())
                )


def owner_key(owner: str) -> bytes:
    """Return the key of an owner in the workspace column; longer than any uuid."""
    return sha256(owner.encode("utf-8", "surrogateescape")).digest()


def _decoded(rows: dict[str, str]) -> Ledger:
    state = json.loads(rows.get(_STATE, "{}"))
    numbers = sorted(int(key[len(_PREFIX) :]) for key in rows if key != _STATE)
    return Ledger({number: json.loads(rows[f"{_PREFIX}{number}"]) for number in numbers}, state)


def _encoded(ledger: Ledger) -> dict[str, str]:
    rows = {f"{_PREFIX}{number}": json.dumps(entry) for number, entry in ledger.entries.items()}
    return {**rows, _STATE: json.dumps(ledger.state)}
