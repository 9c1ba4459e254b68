"""Crash-safe replacement of the catalogue.

SQLite keeps up to three files for a database, and they cannot be exchanged atomically: a new
`catalog.db` beside the write-ahead log of the old one would read as damaged, and the old `catalog.db`
without its log lacks the last commits.  Therefore the new catalogue, a single file, is first renamed
to `catalog.new`.  From then on it is the valid one, and a process that opens the store while
`catalog.new` exists finishes the replacement first.
"""

from __future__ import annotations

import os
from contextlib import suppress

from clew.atomic_write import rename_synced, sync_directory
from clew.store.layout import Layout
from clew.store.new_database import SUFFIXES


def begin_replacing(layout: Layout, new: str) -> None:
    """Rename a verified database file to `catalog.new`; under the exclusive lock."""
    rename_synced(new, layout.new_catalog)


def is_replacing(layout: Layout) -> bool:
    """Return whether a replacement is unfinished."""
    return os.path.exists(layout.new_catalog)


def finish_replacing(layout: Layout) -> str | None:
    """Put `catalog.new` in place, if it exists; under the exclusive lock.

    Return the name of the old catalogue in quarantine/, or None if there was none.
    """
    try:
        found = os.stat(layout.new_catalog)
    except FileNotFoundError:
        return None
    # A stable name, so that a resumed replacement moves the log beside the old catalogue.
    name = f"catalog-{found.st_ino:x}-{found.st_mtime_ns:x}.db"
    aside = os.path.join(layout.quarantine, name)
    is_first = not os.path.exists(layout.catalog)
    if not is_first:
        with suppress(FileExistsError):
            os.link(layout.catalog, aside)
        for suffix in SUFFIXES[1:]:
            with suppress(FileNotFoundError):
                os.rename(layout.catalog + suffix, aside + suffix)
        sync_directory(layout.quarantine)
        sync_directory(layout.root)  # the old log is moved before the new catalogue is in place
    rename_synced(layout.new_catalog, layout.catalog)
    return None if is_first else name
