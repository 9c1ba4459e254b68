"""New database files that replace another one: a single file each, verified before use.

The file has no write-ahead log: commits are in the file itself.  After it is closed it is synced and
read back: the checksum of each page, ``integrity_check``, and the row count of each table against
what was written.  If any of these fails, the file is removed and the one in use remains.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from clew.atomic_write import rename_synced
from clew.errors import ClewError, StoreDamaged, StoreError, StoreFull
from clew.store.database import Database
from clew.store.pages import damaged_pages

SUFFIXES = ("", "-wal", "-shm")
"""Suffixes of a database file and of the files that SQLite may keep beside it."""

Counts = dict[str, int]


@contextmanager
def new_database(path: str) -> Iterator[Database]:
    """Yield an empty database; afterwards it is one durable, verified file, or removed."""
    try:
        database = Database(path, one_file=True)
        try:
            yield database
            counts = row_counts(database)
        finally:
            database.close()
        _sync(path)
        _verify(path, counts)
    except BaseException:
        remove_database(path)
        raise


def replace_database(new: str, target: str) -> None:
    """Replace a database that no process has open by a verified file."""
    for suffix in SUFFIXES[1:]:  # of the old file; SQLite would apply them to the new one
        with suppress(FileNotFoundError):
            os.unlink(target + suffix)
    rename_synced(new, target)


def remove_database(path: str) -> None:
    """Remove a database file, its log and its shared-memory file."""
    for suffix in SUFFIXES:
        with suppress(OSError):
            os.unlink(path + suffix)


def row_counts(database: Database) -> Counts:
    """Return the number of rows of each table."""
    names = database.execute(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    counts = {}
    for (name,) in names:
        row = database.one(f"SELECT count(*) FROM main.{name}")
        counts[str(name)] = int(row[0]) if row else 0
    return counts


def whole_counts(path: str) -> Counts:
    """Return the row counts of a closed, intact database file; raise `StoreDamaged` otherwise."""
    if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal"):
        raise StoreDamaged(f"The database is not complete in one file: {path!r}")
    if pages := damaged_pages(path):
        raise StoreDamaged(f"Page {pages[0]} does not match its checksum: {path!r}")
    database = Database(path, writable=False)
    try:
        for (text,) in database.execute("PRAGMA integrity_check(1)"):
            if text != "ok":
                raise StoreDamaged(f"The database is damaged ({text}): {path!r}")
        return row_counts(database)
    finally:
        with suppress(ClewError):
            database.close()


def _verify(path: str, expected: Counts) -> None:
    try:
        found = whole_counts(path)
    except StoreDamaged as error:
        raise StoreError(f"The new database was not written whole: {error}") from error
    if found != expected:
        raise StoreError(f"The new database was not written whole (rows are missing): {path!r}")


def _sync(path: str) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(os.path.dirname(path)) from error
        raise StoreError(f"Cannot write the store ({error.strerror}): {path!r}") from error
