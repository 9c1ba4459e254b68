"""Database look: what running database servers said shortly after a checkpoint was taken.

It is an annotation: a later answer of the live server, not a part of the captured state.
"""

from __future__ import annotations

from clew.model import bencode
from clew.model.bencode import bytes_of, list_of, number_of
from clew.model.named_tuple import NamedTuple

UNKNOWN = -1
"""A number of rows that the server does not know."""


class LookedTable(NamedTuple):
    """A table, and about how many rows it has."""

    name: str
    rows: int


class LookedDatabase(NamedTuple):
    """A database of a server."""

    name: str
    tables: tuple[LookedTable, ...]


class LookedServer(NamedTuple):
    """The answer of one server."""

    kind: str
    """`postgres`, `mysql` or `mariadb`."""
    directory: str
    """Its data directory, relative to the workspace."""
    version: str = ""
    databases: tuple[LookedDatabase, ...] = ()
    superusers: tuple[str, ...] = ()
    problem: str = ""
    """Why it did not answer; empty if it did."""


class DatabaseLook(NamedTuple):
    """The answers of all servers."""

    time_ns: int
    servers: tuple[LookedServer, ...]

    def encode(self) -> bytes:
        """Return the servers as they are stored."""
        return bencode.encode({b"clew": 1, b"servers": [_encoded(one) for one in self.servers]})

    @classmethod
    def decode(cls, time_ns: int, content: bytes) -> DatabaseLook:
        """Decode the result of `encode`; raise ValueError if it is invalid."""
        found = bencode.decode_dict(content)
        try:
            return cls(time_ns, tuple(_server(one) for one in list_of(found[b"servers"])))
        except (KeyError, TypeError) as error:
            raise ValueError("Not a look at databases") from error


def _encoded(server: LookedServer) -> bencode.Value:
    databases: list[bencode.Value] = [
        [_bytes(database.name), [[_bytes(table.name), table.rows] for table in database.tables]]
        for database in server.databases
    ]
    return [
        _bytes(server.kind), _bytes(server.directory), _bytes(server.version), databases,
        [_bytes(name) for name in server.superusers], _bytes(server.problem),
    ]  # fmt: skip


def _server(value: bencode.Value) -> LookedServer:
    kind, directory, version, databases, superusers, problem = list_of(value)
    return LookedServer(
        _text(kind),
        _text(directory),
        _text(version),
        tuple(_database(one) for one in list_of(databases)),
        tuple(_text(one) for one in list_of(superusers)),
        _text(problem),
    )


def _database(value: bencode.Value) -> LookedDatabase:
    name, tables = list_of(value)
    found = []
    for one in list_of(tables):
        table, rows = list_of(one)
        found.append(LookedTable(_text(table), number_of(rows)))
    return LookedDatabase(_text(name), tuple(found))


def _text(value: bencode.Value) -> str:
    return bytes_of(value).decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
