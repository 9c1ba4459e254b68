"""Ledgers: short numbered lists that an adapter keeps in the store, each for an owner of its own.

They are rows of the config table, under a hash of the owner's name instead of a workspace: so they
are backed up and survive a rebuild like every choice of a user, and no listing of settings has them.
A number is never given twice, whatever was removed in between.
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
    """One list as it stands; what is changed is written when the block around it ends."""

    def __init__(self, entries: dict[int, Entry], state: Entry) -> None:
        self.entries = entries
        """By number, in order."""
        self.state = state
        """What else is remembered; `last` is the highest number ever given."""

    def add(self, entry: Entry) -> int:
        """Put an entry at the end and return its number."""
        number = int(self.state.get("last", 0)) + 1
        self.state["last"] = number
        self.entries[number] = entry
        return number


class Ledgers:
    """All lists of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, owner: str) -> Ledger:
        """Return a list; an owner that nobody knows has an empty one."""
        return _decoded(self._rows(owner))

    @contextmanager
    def changing(self, owner: str) -> Iterator[Ledger]:
        """Give a list to change, alone with it: all of it is written, or nothing."""
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
    """Return what stands for an owner where a setting has its workspace; longer than any uuid."""
    return sha256(owner.encode("utf-8", "surrogateescape")).digest()


def _decoded(rows: dict[str, str]) -> Ledger:
    state = json.loads(rows.get(_STATE, "{}"))
    numbers = sorted(int(key[len(_PREFIX) :]) for key in rows if key != _STATE)
    return Ledger({number: json.loads(rows[f"{_PREFIX}{number}"]) for number in numbers}, state)


def _encoded(ledger: Ledger) -> dict[str, str]:
    rows = {f"{_PREFIX}{number}": json.dumps(entry) for number, entry in ledger.entries.items()}
    return {**rows, _STATE: json.dumps(ledger.state)}
