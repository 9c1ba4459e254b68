"""A new database file, which replaces another one: complete in one file and verified before that.

The file has no write-ahead log: what is committed is in the file itself.  When it is closed it is
synced and read back: each page against its checksum, the whole by ``integrity_check``, and the
number of rows of each table against what was written.  Where anything of that fails, the file is
removed and the one in use stays.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from clew.errors import ClewError, StoreDamaged, StoreError, StoreFull
from clew.store.database import Database
from clew.store.layout import sync_directory
from clew.store.pages import damaged_pages

SIDES = ("", "-wal", "-shm")
"""A database file, and the files that SQLite may have beside it."""

Counts = dict[str, int]


@contextmanager
def new_database(path: str) -> Iterator[Database]:
    """Give an empty database; after the body it is one durable, verified file, or is gone."""
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
    """Put a verified file in the place of another one that nobody has open."""
    for side in SIDES[1:]:  # of the old one; SQLite would take it for the new one's
        with suppress(FileNotFoundError):
            os.unlink(target + side)
    os.rename(new, target)
    sync_directory(os.path.dirname(target))


def remove_database(path: str) -> None:
    """Remove a database file and what is beside it."""
    for side in SIDES:
        with suppress(OSError):
            os.unlink(path + side)


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
    """Return the row counts of a closed database file that is whole; `StoreDamaged` otherwise."""
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
