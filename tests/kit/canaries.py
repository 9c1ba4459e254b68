"""Secrets as people and agents type them, and a search for them in all that a store holds."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from clew.store.database import Database

WAYS = (
    "curl -u me:{} https://api.example/deploy",
    'curl -H "Authorization: Bearer {}" https://api.example',
    "git push https://user:{}@git.example/x.git main",
    "mysql -uroot -p{} shop",
    "TOKEN={} deploy prod",
    "log in with password {} on staging",
    "echo {} | docker login -u me --password-stdin",
    "sshpass -p {} ssh root@host",
    "bash -c 'PGPASSWORD={} psql -h db'",
    "wget 'https://x.example/a?access_token={}'",
)
"""Each kind of place that a secret has in a line."""


class Canary(NamedTuple):
    """A secret that is planted in one place only."""

    secret: str
    text: str
    """What is typed, with the secret in it."""


class Canaries:
    """Makes secrets, no two alike, and remembers them."""

    def __init__(self) -> None:
        self.planted: dict[str, str] = {}

    def typed(self, where: str) -> str:
        """Return a line with a secret in it, to be typed at some place; each in another way."""
        number = len(self.planted)
        return self._made(where, WAYS[number % len(WAYS)])

    def every_way(self, where: str) -> str:
        """Return several lines, with a secret in each."""
        return "\n".join(self._made(where, way) for way in WAYS)

    def found_in(self, *texts: str | bytes) -> dict[str, str]:
        """Return which secrets are in what was said, and where they were planted."""
        every = [text.encode() if isinstance(text, str) else text for text in texts]
        return {
            secret: where
            for secret, where in self.planted.items()
            if any(secret.encode() in text for text in every)
        }

    def _made(self, where: str, way: str) -> str:
        secret = f"Kq7x{len(self.planted):03d}canary9fX2vB"
        self.planted[secret] = where
        return way.format(secret)


def kept_outside_packs(store: Path) -> list[bytes]:
    """Return all that a store holds but for the packs: its files as bytes, and every row.

    Packs hold files and conversations, which are given back byte for byte.
    """
    files = [path for path in store.rglob("*") if path.is_file() and not path.is_symlink()]
    found = [path.read_bytes() for path in files if "packs" not in path.parts]
    return [*found, rows_of(store)]


def rows_of(store: Path) -> bytes:
    """Return every row of every table of the catalogue."""
    database = Database(str(store / "catalog.db"), writable=False)
    try:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        rows = (row for (table,) in tables for row in database.execute(f"SELECT * FROM {table}"))
        return b"\n".join(_bytes(value) for row in rows for value in row)
    finally:
        database.close()


def json_text(values: Iterable[object]) -> str:
    """Return values as text to look in."""
    return json.dumps(list(values), default=str)


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
