"""PostgreSQL client: some fixed questions over a unix socket, without a password.

Only what `trust` or `peer` allow: a server that asks for a password is left alone.
The session is read-only, every statement has a time limit, and what is read is bounded.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from clew.worktree.bounded_socket import BoundedSocket, ServerRefused

_VERSION_3 = 196608
_SETTINGS = (
    "-c default_transaction_read_only=on -c statement_timeout=2000 -c lock_timeout=500"
    " -c search_path=pg_catalog -c row_security=off"
)
_MOST_ROWS = 5_000

DATABASES = (
    "SELECT datname FROM pg_catalog.pg_database"
    " WHERE datallowconn AND NOT datistemplate ORDER BY 1 LIMIT 50"
)
SUPERUSERS = "SELECT rolname FROM pg_catalog.pg_roles WHERE rolsuper ORDER BY 1 LIMIT 200"
VERSION = "SELECT pg_catalog.current_setting('server_version')"
TABLES = (
    "SELECT n.nspname, c.relname,"
    " CASE WHEN s.n_live_tup > 0 OR c.reltuples < 0 THEN coalesce(s.n_live_tup, -1)"
    " ELSE c.reltuples::pg_catalog.int8 END"
    " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " LEFT JOIN pg_catalog.pg_stat_user_tables s ON s.relid = c.oid"
    " WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'"
    " AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_' ORDER BY 1, 2 LIMIT 2000"
)
"""The server's own count of live rows; where it has none, that of the last analysis."""


class PostgresSession:
    """One connection to one database."""

    def __init__(self, connection: BoundedSocket, user: str, database: str) -> None:
        self._socket = connection
        words = (
            "user",
            user,
            "database",
            database,
            "application_name",
            "clew",
            "options",
            _SETTINGS,
        )
        body = b"".join(word.encode() + b"\0" for word in words) + b"\0"
        self._socket.send(struct.pack("!II", len(body) + 8, _VERSION_3) + body)
        for kind, content in self._messages():
            if kind == b"R" and content[:4] != bytes(4):
                raise ServerRefused("it asks for a password")
            if kind == b"Z":
                return

    def rows(self, statement: str) -> list[tuple[str, ...]]:
        """Return the rows that a statement selects; no value is `""`."""
        body = statement.encode() + b"\0"
        self._socket.send(b"Q" + struct.pack("!I", len(body) + 4) + body)
        found: list[tuple[str, ...]] = []
        for kind, content in self._messages():
            if kind == b"D" and len(found) < _MOST_ROWS:
                found.append(tuple(_values(content)))
            if kind == b"Z":
                break
        return found

    def close(self) -> None:
        """Say goodbye; the connection is closed with the process."""
        self._socket.send(b"X" + struct.pack("!I", 4))

    def _messages(self) -> Iterator[tuple[bytes, bytes]]:
        while True:
            kind, size = struct.unpack("!cI", self._socket.receive(5))
            if size < 4:
                raise ServerRefused("its answer is none of PostgreSQL")
            content = self._socket.receive(size - 4)
            if kind == b"E":
                raise ServerRefused(_error_text(content))
            yield kind, content


def _values(content: bytes) -> Iterator[str]:
    (number,) = struct.unpack_from("!H", content)
    at = 2
    for _ in range(number):
        (size,) = struct.unpack_from("!i", content, at)
        at += 4
        yield content[at : at + max(size, 0)].decode("utf-8", "replace")
        at += max(size, 0)


def _error_text(content: bytes) -> str:
    """Return the code of an error only: its message may quote what a table contains."""
    for part in content.split(b"\0"):
        if part[:1] == b"C":
            code = part[1:6].decode("ascii", "replace")
            return _CODES.get(code, f"error {code}")
    return "an error"


_CODES = {
    "28000": "it does not let this user in",
    "28P01": "it asks for a password",
    "3D000": "it has no such database",
    "53300": "it has too many connections",
    "57014": "it took too long",
    "57P03": "it is starting up or shutting down",
}
