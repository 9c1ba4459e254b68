"""SQLite reader: a database from a snapshot, opened as SQLite itself opens it.

The content of a database is in its file and its journals: rows that are still in `-wal`, pages
that a hot `-journal` rolls back.
All of them are copied into a private directory, and the copy is opened read-write, which lets
SQLite recover it; `immutable=1` would silently show other content.

The file is untrusted: no view, trigger or virtual table is queried, functions that a schema names
are not trusted, and time, copied bytes and the number of tables are limited.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from clew.detectors.databases.sqlite_limits import Budget
from clew.detectors.detector import Tree
from clew.filenames import as_sqlite_uri
from clew.model.named_tuple import NamedTuple

if TYPE_CHECKING:
    import apsw

MAGIC = b"SQLite format 3\x00"
HASHED_ROWS = 10_000
"""Tables with more rows are counted, not compared."""

_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_TABLES = 1_000
_DIGESTS = 1 << 128
_STORED = (0, 3)
"""Column types that are stored in a row, not computed on read."""
_DOCUMENTS = ("_docsize", "_content", "_rowid")
"""Suffixes of the shadow tables whose rows are counted: full text, and R-trees."""
_SHADOWS = (
    *_DOCUMENTS, "_data", "_idx", "_config", "_segments", "_segdir", "_stat", "_node", "_parent",
)  # fmt: skip


_PRAGMAS = (
    ("locking_mode", "EXCLUSIVE"),  # keeps the WAL index in memory
    ("synchronous", "OFF"),
    ("temp_store", "MEMORY"),
    ("cell_size_check", "ON"),
    ("mmap_size", 0),
)
"""Pragmas set before the first read."""

_Definition = tuple[str, str, str, int, str]
"""Type, name, table, root page and SQL, as in the schema table."""
_IndexesAndTriggers = dict[tuple[str, str], list[tuple[str, str]]]


class Unreadable(Exception):
    """A database that cannot be analysed; the message gives the reason."""


class SqliteTable(NamedTuple):
    """The compared properties of a table."""

    columns: tuple[tuple[str, str, bool], ...] = ()
    """Name, declared type, and whether its values are stored."""
    indexes: tuple[tuple[str, str], ...] = ()
    """Name and definition."""
    triggers: tuple[tuple[str, str], ...] = ()
    definition: str = ""
    root: int = 0
    """Its root page; zero for a virtual table."""
    rows: int | None = None
    is_estimate: bool = False


class Schema(NamedTuple):
    """The compared properties of a database."""

    tables: dict[str, SqliteTable]
    views: dict[str, str]


NOTHING = Schema({}, {})


@contextmanager
def open_copy(tree: Tree, path: str, scratch: str, budget: Budget) -> Iterator[SqliteFile | None]:
    """Open a private copy of a database from a tree; None if the tree has none."""
    entry = tree.entry(path)
    if entry is None or not entry.is_file:
        yield None
        return
    budget.take(path, sum(_size(tree, path + ending) for ending in ("", "-wal", "-journal")))
    with tempfile.TemporaryDirectory(dir=scratch, prefix="sqlite-") as directory:
        copy = os.path.join(directory, "copy")
        _write(tree, path, copy)
        _write(tree, path + "-wal", copy + "-wal")
        if _is_hot(tree, path + "-journal"):
            _write(tree, path + "-journal", copy + "-journal")
        with closing(_connect(copy)) as connection:
            yield SqliteFile(connection, is_exact=entry.size <= budget.limits.exact_bytes)


class SqliteFile:
    """An open private copy."""

    def __init__(self, connection: apsw.Connection, *, is_exact: bool) -> None:
        self.connection = connection
        self._is_exact = is_exact

    def schema(self) -> Schema:
        """Return its tables and views without SQLite's internal ones."""
        for pragma, value in _PRAGMAS:
            self.connection.pragma(pragma, value)
        found = self._definitions()
        attached = _indexes_and_triggers(found)
        tables = {
            name: SqliteTable(definition=sql, root=root)
            for kind, name, _, root, sql in found
            if kind == "table" and not name.lower().startswith("sqlite_")
        }
        hidden = _shadows(tables)
        file_finding = {
            name: self._described(name, table, attached, hidden)
            for name, table in sorted(tables.items())
            if name not in hidden
        }
        return Schema(
            file_finding, {name: sql for kind, name, _, _, sql in found if kind == "view"}
        )

    def digest(self, name: str, table: SqliteTable) -> int | None:
        """Return an order-independent hash of a table's rows, or None if there are too many."""
        import apsw  # noqa: PLC0415 - imported only if a database changed

        if table.rows is None or table.rows > HASHED_ROWS or table.is_estimate:
            return None
        columns = ", ".join(_quoted(column) for column, _, stored in table.columns if stored)
        query = f"SELECT {columns} FROM {_quoted(name)} NOT INDEXED"  # noqa: S608 - quoted names
        total = 0
        try:
            for row in self.connection.execute(query):
                digest = hashlib.blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=16)
                total += int.from_bytes(digest.digest(), "big")
        except (apsw.Error, UnicodeDecodeError):  # timeout, or text that is not UTF-8
            return None
        return total % _DIGESTS

    def _definitions(self) -> list[_Definition]:
        rows = self.connection.execute(
            "SELECT type, name, tbl_name, rootpage, coalesce(sql, '') FROM sqlite_schema LIMIT ?",
            (8 * _TABLES + 1,),
        )
        found = [
            (str(kind), str(name), str(table), root if isinstance(root, int) else 0, str(sql))
            for kind, name, table, root, sql in rows
        ]
        if len(found) > 8 * _TABLES or sum(kind == "table" for kind, *_ in found) > _TABLES:
            raise Unreadable(f"has more than {_TABLES:,} tables")
        return found

    def _described(
        self,
        name: str,
        table: SqliteTable,
        attached: _IndexesAndTriggers,
        hidden: dict[str, str],
    ) -> SqliteTable:
        if not table.root:
            return table._replace(rows=self._documents(name, hidden))
        columns = self.connection.execute(
            "SELECT name, type, hidden FROM pragma_table_xinfo(?)", (name,)
        )
        return table._replace(
            columns=tuple(
                (str(column), str(kind), how in _STORED) for column, kind, how in columns
            ),
            indexes=tuple(sorted(attached.get(("index", name.lower()), ()))),
            triggers=tuple(sorted(attached.get(("trigger", name.lower()), ()))),
            rows=self._rows(name),
            is_estimate=not self._is_exact,
        )

    def _documents(self, name: str, hidden: dict[str, str]) -> int | None:
        """Count a virtual table by the shadow tables that store its rows."""
        for ending in _DOCUMENTS:
            if hidden.get(name + ending) == name:
                return self._rows(name + ending)
        return None

    def _rows(self, name: str) -> int | None:
        import apsw  # noqa: PLC0415 - imported only if a database changed

        # NOT INDEXED: an index may need a collation that only its application has, or be corrupt
        what = "count(*)" if self._is_exact else "max(rowid)"
        query = f"SELECT {what} FROM {_quoted(name)} NOT INDEXED"  # noqa: S608 - a quoted name
        try:
            number = self.connection.execute(query).get
        except apsw.SQLError:  # a table without rowids, or with unknown functions
            return None
        return number if isinstance(number, int) else 0


def _indexes_and_triggers(definitions: list[_Definition]) -> _IndexesAndTriggers:
    """Return the explicit indexes and triggers of each table; those of constraints have no SQL."""
    found: _IndexesAndTriggers = {}
    for kind, name, table, _, sql in definitions:
        if sql and kind in ("index", "trigger"):
            found.setdefault((kind, table.lower()), []).append((name, sql))
    return found


def _shadows(tables: dict[str, SqliteTable]) -> dict[str, str]:
    """Return the shadow tables of virtual tables, with their owners."""
    return {
        name + ending: name
        for name, table in tables.items()
        if not table.root
        for ending in _SHADOWS
        if name + ending in tables
    }


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _size(tree: Tree, path: str) -> int:
    entry = tree.entry(path)
    return entry.size if entry is not None else 0


def _write(tree: Tree, path: str, target: str) -> None:
    entry = tree.entry(path)
    if entry is None or not entry.is_file:
        return
    with open(target, "xb") as file:
        for piece in tree.pieces(path):
            file.write(piece)


def _is_hot(tree: Tree, path: str) -> bool:
    """Return whether a journal may have to be rolled back.

    One that ends in the name of a super-journal is rejected: SQLite would look for such a file on
    this machine, and may delete it after the rollback.
    """
    first, last = b"", b""
    for piece in tree.pieces(path):
        first = first or piece[:8]
        last = (last + piece[-8:])[-8:]
    if first != _JOURNAL_MAGIC:
        return False
    if last == _JOURNAL_MAGIC:
        raise Unreadable("was left inside a transaction over several databases")
    return True


def _connect(path: str) -> apsw.Connection:
    import apsw  # noqa: PLC0415 - imported only if a database changed

    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(as_sqlite_uri(os.fsencode(path)), flags=flags, vfs="unix")
    for setting, value in (
        (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
        (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
        (apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),
    ):
        connection.config(setting, value)
    for limit, number in (
        (apsw.SQLITE_LIMIT_LENGTH, 32 << 20),
        (apsw.SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
        (apsw.SQLITE_LIMIT_ATTACHED, 0),
        (apsw.SQLITE_LIMIT_EXPR_DEPTH, 100),
        (apsw.SQLITE_LIMIT_VDBE_OP, 100_000),
    ):
        connection.limit(limit, number)
    return connection
