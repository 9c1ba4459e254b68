"""SQLite reader: a database of a snapshot, opened by SQLite itself (`sqlite_vfs.py`).

The file is untrusted: no view, trigger or virtual table is queried, functions that a schema names
are not trusted, and time, rows and the number of tables are limited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b

import apsw

from clew.detectors.databases.sqlite_limits import Budget
from clew.detectors.databases.sqlite_pages import Known, Pages
from clew.detectors.databases.sqlite_schema import Columns, Definition, Schema, schema_of
from clew.detectors.databases.sqlite_vfs import (
    JOURNAL,
    MAIN,
    WAL,
    SnapshotFile,
    SnapshotVfs,
    connect,
)
from clew.detectors.detector import Tree

_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_TABLES = 5_000
_STORED = (0, 3)
"""Column types that are stored in a row, not computed on read."""


class Unreadable(Exception):
    """A database that cannot be analysed; the message gives the reason."""


@contextmanager
def open_database(tree: Tree, path: str, budget: Budget) -> Iterator[SqliteFile | None]:
    """Open a database of a tree; None if the tree has none."""
    files = _files(tree, path, budget)
    if MAIN not in files:
        yield None
        return
    vfs = SnapshotVfs(files)
    try:
        with closing(connect(vfs, lambda: _is_late(budget))) as connection:
            yield SqliteFile(connection, files)
    finally:
        vfs.unregister()


class SqliteFile:
    """An open database."""

    def __init__(self, connection: apsw.Connection, files: dict[str, SnapshotFile]) -> None:
        self.connection = connection
        self._files = files

    def schema(self) -> Schema:
        """Return its tables and views without SQLite's internal ones."""
        rows = self.connection.execute(
            "SELECT type, name, tbl_name, rootpage, coalesce(sql, '') FROM sqlite_schema LIMIT ?",
            (8 * _TABLES + 1,),
        )
        found: list[Definition] = [
            (str(kind), str(name), str(table), root if isinstance(root, int) else 0, str(sql))
            for kind, name, table, root, sql in rows
        ]
        if len(found) > 8 * _TABLES or sum(kind == "table" for kind, *_ in found) > _TABLES:
            raise Unreadable(f"has more than {_TABLES:,} tables")
        return schema_of(found)

    def pages(self, known: Known) -> Pages:
        """Return its pages as SQLite sees them after recovery; call it after `schema`."""
        wal = self._files.get(WAL)
        frames = 0
        if wal is not None:
            frames = self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)[0]
        return Pages(self._files[MAIN], wal, max(frames, 0), known)

    def columns(self, name: str) -> Columns:
        """Return the columns of a table."""
        rows = self.connection.execute(
            "SELECT name, type, hidden FROM pragma_table_xinfo(?)", (name,)
        )
        return tuple((str(column), str(kind), how in _STORED) for column, kind, how in rows)

    def row_digests(self, name: str, most: int) -> Counter[bytes] | None:
        """Return a hash of each row, or None if there are too many or one cannot be read."""
        columns = ", ".join(_quoted(column) for column, _, stored in self.columns(name) if stored)
        # NOT INDEXED: an index may need a collation that only its application has, or be corrupt
        query = f"SELECT {columns} FROM {_quoted(name)} NOT INDEXED LIMIT {most + 1}"  # noqa: S608 - quoted names
        found: Counter[bytes] = Counter()
        try:
            for row in self.connection.execute(query):
                text = repr(row).encode("utf-8", "surrogatepass")
                found[blake2b(text, digest_size=16).digest()] += 1
        except (apsw.Error, UnicodeDecodeError):  # unknown functions, or text that is not UTF-8
            return None
        return found if found.total() <= most else None

    def texts(self, name: str, columns: tuple[str, ...], most: int) -> list[tuple[str, ...]]:
        """Return some columns of the last rows of a table, as far as they are short texts."""
        chosen = ", ".join(_quoted(column) for column in columns)
        query = f"SELECT {chosen} FROM {_quoted(name)} NOT INDEXED ORDER BY rowid DESC LIMIT {most}"  # noqa: S608 - quoted names
        try:
            rows = self.connection.execute(query).fetchall()
        except (apsw.Error, UnicodeDecodeError):
            return []
        return [tuple(str(value)[:200] for value in row) for row in rows]


def _files(tree: Tree, path: str, budget: Budget) -> dict[str, SnapshotFile]:
    """Return the file of a database and its journals."""
    found: dict[str, SnapshotFile] = {}
    for name, ending in ((MAIN, ""), (WAL, "-wal"), (JOURNAL, "-journal")):
        reader = tree.reader(path + ending)
        if reader is not None:
            found[name] = SnapshotFile(reader, budget.check)
    if JOURNAL in found and not _is_hot(found[JOURNAL]):
        del found[JOURNAL]
    return found


def _is_hot(journal: SnapshotFile) -> bool:
    """Return whether a journal may have to be rolled back.

    One that ends in the name of a super-journal is rejected: whether it has to be rolled back
    depends on another file.
    """
    if journal.read(0, 8) != _JOURNAL_MAGIC:
        return False
    if journal.size > 8 and journal.read(journal.size - 8, 8) == _JOURNAL_MAGIC:
        raise Unreadable("was left inside a transaction over several databases")
    return True


def _is_late(budget: Budget) -> bool:
    budget.check()
    return False


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
