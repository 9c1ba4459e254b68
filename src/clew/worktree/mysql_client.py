"""MySQL and MariaDB client: some fixed questions over a unix socket, without a password.

The server must know the user by the socket (`unix_socket`, `auth_socket`), or ask for no password.
The session is read-only, and what is read is bounded.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from clew.worktree.bounded_socket import BoundedSocket, ServerRefused

_MOST_ROWS = 5_000
_CAPABILITIES = 0x00000001 | 0x00000200 | 0x00008000 | 0x00080000 | 0x00000008
"""Long passwords, protocol 4.1, secure connection, authentication plugins, a database."""
_UTF8 = 45
_OK, _ERROR, _END = 0x00, 0xFF, 0xFE

READ_ONLY = "SET SESSION TRANSACTION READ ONLY"
VERSION = "SELECT version()"
TABLES = (
    "SELECT table_schema, table_name, coalesce(table_rows, -1) FROM information_schema.tables"
    " WHERE table_type = 'BASE TABLE' AND table_schema NOT IN"
    " ('mysql', 'sys', 'information_schema', 'performance_schema') ORDER BY 1, 2 LIMIT 5000"
)
"""With the storage engine's own estimate of rows."""


class MySqlSession:
    """One connection."""

    def __init__(self, connection: BoundedSocket, user: str) -> None:
        self._socket = connection
        self._sequence = 0
        greeting = self._packet()
        if greeting[:1] != b"\x0a":
            raise ServerRefused("its answer is none of MySQL")
        plugin = greeting.rstrip(b"\0").rpartition(b"\0")[2]
        head = struct.pack("<IIB23x", _CAPABILITIES, 1 << 24, _UTF8)
        self._send(head + user.encode() + b"\0" + b"\0" + b"information_schema\0" + plugin + b"\0")
        self._be_let_in()

    def rows(self, statement: str) -> list[tuple[str, ...]]:
        """Return the rows that a statement selects; no value is `""`."""
        self._sequence = 0
        self._send(b"\x03" + statement.encode())
        first = self._checked()
        if first[0] == _OK:
            return []
        columns = first[0]
        for _ in range(columns):
            self._packet()
        self._packet()  # the end of the columns
        found: list[tuple[str, ...]] = []
        while True:
            content = self._checked()
            if content[0] == _END and len(content) < 9:
                return found
            if len(found) < _MOST_ROWS:
                found.append(tuple(_values(content)))

    def close(self) -> None:
        """Say goodbye; the connection is closed with the process."""
        self._sequence = 0
        self._send(b"\x01")

    def _be_let_in(self) -> None:
        """Answer what the server asks for, as long as that is no password."""
        for _ in range(3):
            content = self._checked()
            if content[0] == _OK:
                return
            if content[0] != _END:
                break
            self._send(b"")  # no password; the socket says who we are
        raise ServerRefused("it asks for a password")

    def _checked(self) -> bytes:
        content = self._packet()
        if not content:
            raise ServerRefused("its answer is none of MySQL")
        if content[0] == _ERROR:
            code = int.from_bytes(content[1:3], "little")
            refused = code in (1044, 1045, 1698)
            raise ServerRefused("it does not let this user in" if refused else f"error {code}")
        return content

    def _packet(self) -> bytes:
        head = self._socket.receive(4)
        self._sequence = head[3] + 1 & 0xFF
        return self._socket.receive(int.from_bytes(head[:3], "little"))

    def _send(self, content: bytes) -> None:
        head = len(content).to_bytes(3, "little") + bytes([self._sequence])
        self._socket.send(head + content)


def _values(content: bytes) -> Iterator[str]:
    at = 0
    while at < len(content):
        if content[at] == 0xFB:
            yield ""
            at += 1
            continue
        size, at = _length(content, at)
        yield content[at : at + size].decode("utf-8", "replace")
        at += size


def _length(content: bytes, at: int) -> tuple[int, int]:
    first = content[at]
    width = {0xFC: 2, 0xFD: 3, 0xFE: 8}.get(first, 0)
    if not width:
        return first, at + 1
    return int.from_bytes(content[at + 1 : at + 1 + width], "little"), at + 1 + width
