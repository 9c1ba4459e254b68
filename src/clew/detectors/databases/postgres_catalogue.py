"""PostgreSQL catalogue: databases, tables, columns and roles, read from the files of a cluster.

Only a cluster that was shut down in order has a catalogue on disk: of a server that runs, a part of
it is in memory or in the write-ahead log.
Which columns a catalogue has depends on the major version; those of 10 to 18 are known.
"""

from __future__ import annotations

from struct import Struct, unpack_from

from clew.detectors.databases.postgres_heap import HeapTuple, Transactions, visible_tuples
from clew.detectors.detector import TooLarge, Tree
from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple

FIRST_MAJOR, LAST_MAJOR = 10, 18
"""Versions whose catalogues are known."""

_CONTROL = Struct("<QIII")
"""System identifier, version of this file, version of the catalogue, state."""
_SHUT_DOWN = (1, 2)
_RUNNING = 6
_CONTROL_SIZES = range(200, 600, 4)
_CLASS, _ATTRIBUTE, _NAMESPACE, _DATABASE, _AUTHID = 1259, 1249, 2615, 1262, 1260
_FILENODE_MAP = Struct("<II")
_MAP_MAGIC = 0x592717
_MOST_MAPPED = 64
_CATALOGUE_LIMIT = 24 << 20
"""A larger catalogue takes too long: about 100,000 relations."""
_TABLES = 20_000
_NAME = 64
_OWN_SCHEMAS = ("pg_", "information_schema")
_KINDS = {"r": "table", "p": "table", "m": "materialized view", "v": "view", "f": "foreign table"}
_DROPPED_COLUMN = "........pg.dropped."


class Control(NamedTuple):
    """What a control file says of its cluster."""

    system: int
    state: int

    @property
    def is_shut_down(self) -> bool:
        return self.state in _SHUT_DOWN

    @property
    def is_running(self) -> bool:
        return self.state == _RUNNING


class Table(NamedTuple):
    """A table, or another relation with a name."""

    oid: int
    name: str
    """With its schema, unless that is `public`."""
    kind: str
    file: int
    """The number of its file; zero if it has none."""
    space: int
    """Its tablespace; zero for that of the database."""
    estimate: int
    """Rows at the last analysis; below zero if unknown."""
    toast: int = 0


class Role(NamedTuple):
    """An account of the server; its password is not read."""

    name: str
    is_superuser: bool
    rights: tuple[str, ...]
    can_login: bool


class NoCatalogue(Exception):
    """The catalogue cannot be read; the message gives the reason."""


def read_control(tree: Tree, root: str) -> Control | None:
    """Return what the control file says, or None if it is damaged or of an unknown layout."""
    reader = tree.reader(join(root, "global/pg_control"))
    content = reader.read(0, 600) if reader is not None else b""
    if len(content) < _CONTROL.size:
        return None
    system, version, _, state = _CONTROL.unpack_from(content)
    if not 900 <= version < 10_000 or not _has_checksum(content):
        return None
    return Control(system, state)


def major_version(tree: Tree, root: str) -> int:
    """Return the major version of a cluster since 10, or 0 if unknown."""
    reader = tree.reader(join(root, "PG_VERSION"))
    text = reader.read(0, 20).strip() if reader is not None else b""
    return int(text) if text.isdigit() and len(text) < 4 else 0


def is_readable(tree: Tree, root: str) -> bool:
    """Return whether a cluster was shut down in order, and its catalogue can be read."""
    control = read_control(tree, root)
    if control is None or not control.is_shut_down:
        return False
    is_known = FIRST_MAJOR <= major_version(tree, root) <= LAST_MAJOR
    return is_known and tree.entry(join(root, "postmaster.pid")) is None


class Catalogue:
    """The catalogue of a cluster that was shut down."""

    def __init__(self, tree: Tree, root: str) -> None:
        self._tree = tree
        self._root = root
        self._major = major_version(tree, root)
        self.transactions = Transactions(tree, root)
        self._shift = 4 if self._major >= 12 else 0
        """Before 12, an oid was not a column."""

    def databases(self) -> dict[int, str]:
        """Return the names of the databases by their numbers."""
        rows = self._rows("global", self._mapped("global", _DATABASE))
        return {self._oid(row): self._name(row) for row in rows}

    def roles(self) -> dict[str, Role]:
        """Return the accounts of the server."""
        rows = self._rows("global", self._mapped("global", _AUTHID))
        found = [self._role(row) for row in rows if len(row.data) > self._shift + 70]
        return {role.name: role for role in found if not role.name.startswith("pg_")}

    def tables(self, database: int) -> dict[int, Table]:
        """Return the tables of a database by their numbers, without the server's own."""
        place = f"base/{database}"
        classes = self._rows(place, self._mapped(place, _CLASS))
        relations = [self._relation(row) for row in classes if len(row.data) > self._shift + 116]
        namespaces = next((one.file for one, _ in relations if one.oid == _NAMESPACE), 0)
        schemas = {
            self._oid(row): self._name(row) for row in self._rows(place, namespaces or _NAMESPACE)
        }
        found: dict[int, Table] = {}
        for table, schema in relations:
            name = schemas.get(schema, "")
            if table.kind in _KINDS and name and not name.startswith(_OWN_SCHEMAS):
                shown = table.name if name == "public" else f"{name}.{table.name}"
                found[table.oid] = table._replace(name=shown, kind=_KINDS[table.kind])
        if len(found) > _TABLES:
            raise NoCatalogue(f"has more than {_TABLES:,} tables")
        return found

    def columns(self, database: int) -> dict[int, dict[int, str]]:
        """Return the names of columns by their numbers, for each table."""
        place = f"base/{database}"
        at = 78 if self._major < 16 else 74
        found: dict[int, dict[int, str]] = {}
        for row in self._rows(place, self._mapped(place, _ATTRIBUTE)):
            if len(row.data) < at + 2:
                continue
            (table,) = unpack_from("<I", row.data)
            (number,) = unpack_from("<h", row.data, at)
            name = _text(row.data, 4)
            if number > 0 and not name.startswith(_DROPPED_COLUMN):
                found.setdefault(table, {})[number] = name
        return found

    def columns_content(self, database: int) -> ObjectId | None:
        """Return what is equal if all columns are the same."""
        place = f"base/{database}"
        entry = self._tree.entry(join(self._root, f"{place}/{self._mapped(place, _ATTRIBUTE)}"))
        return entry.content if entry is not None else None

    def path(self, database: int, table: Table) -> str | None:
        """Return the path of a table's file; None for one in a tablespace elsewhere."""
        if not table.file or table.space:
            return None
        return join(self._root, f"base/{database}/{table.file}")

    def _relation(self, row: HeapTuple) -> tuple[Table, int]:
        """Return a relation, and the number of its schema."""
        start = self._shift + _NAME
        schema, file, space = unpack_from("<I16xII", row.data, start)
        (estimate,) = unpack_from("<f", row.data, start + 32)
        at = start + (44 if self._major >= 18 else 40)
        (toast,) = unpack_from("<I", row.data, at)
        persistence, kind = row.data[at + 6 : at + 7], row.data[at + 7 : at + 8]
        # temporary tables are nobody's data
        shown = kind.decode("latin-1") if persistence in (b"p", b"u") else ""
        rows = int(estimate) if -1 <= estimate < 1e15 else -1
        return Table(self._oid(row), self._name(row), shown, file, space, rows, toast), schema

    def _role(self, row: HeapTuple) -> Role:
        flags = row.data[self._shift + _NAME : self._shift + _NAME + 7]
        names = ("superuser", "", "createrole", "createdb", "login", "replication", "bypassrls")
        rights = tuple(name for name, flag in zip(names, flags, strict=False) if name and flag)
        return Role(self._name(row), bool(flags[0]), rights, "login" in rights)

    def _oid(self, row: HeapTuple) -> int:
        return int(unpack_from("<I", row.data)[0]) if self._shift else row.oid

    def _name(self, row: HeapTuple) -> str:
        return _text(row.data, self._shift)

    def _mapped(self, place: str, catalogue: int) -> int:
        """Return the number of the file of a catalogue."""
        content = self._tree.read(join(self._root, f"{place}/pg_filenode.map"), 4096) or b""
        if len(content) < 8:
            raise NoCatalogue("has no list of its catalogues")
        magic, number = _FILENODE_MAP.unpack_from(content)
        if magic != _MAP_MAGIC or number > _MOST_MAPPED or len(content) < 8 + 8 * number:
            raise NoCatalogue("has a list of catalogues in an unknown format")
        pairs = _FILENODE_MAP.iter_unpack(content[8 : 8 + 8 * number])
        return next((file for oid, file in pairs if oid == catalogue), catalogue)

    def _rows(self, place: str, file: int) -> list[HeapTuple]:
        path = join(self._root, f"{place}/{file}")
        try:
            content = self._tree.read(path, _CATALOGUE_LIMIT)
        except TooLarge as error:
            raise NoCatalogue("has too large a catalogue") from error
        if content is None:
            raise NoCatalogue("lacks a file of its catalogue")
        return [row for row in visible_tuples(content, self.transactions) if len(row.data) >= 68]


def join(root: str, name: str) -> str:
    """Return a path below a data directory, which may be the root of the tree."""
    return f"{root}/{name}" if root else name


def _text(data: bytes, at: int) -> str:
    return data[at : at + _NAME].partition(b"\0")[0].decode("utf-8", "replace")


def _has_checksum(content: bytes) -> bool:
    """Return whether a control file ends in its own checksum, wherever its version has it."""
    value = 0xFFFFFFFF
    for at in range(min(len(content) - 3, _CONTROL_SIZES.stop)):
        if at in _CONTROL_SIZES and unpack_from("<I", content, at)[0] == value ^ 0xFFFFFFFF:
            return True
        value = value >> 8 ^ _CRC32C[(value ^ content[at]) & 0xFF]
    return False


def _crc_table() -> tuple[int, ...]:
    found = []
    for number in range(256):
        for _ in range(8):
            number = number >> 1 ^ (0x82F63B78 if number & 1 else 0)
        found.append(number)
    return tuple(found)


_CRC32C = _crc_table()
