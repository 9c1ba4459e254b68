"""Replacing the catalogue by a new one, in steps of which a crash may skip none.

SQLite keeps up to three files for a database, and they cannot be exchanged all at once: a new
`catalog.db` beside the write-ahead log of the old one would be read as damaged, and the old
`catalog.db` without its log has lost what was committed last.  So the new catalogue, which is
complete in one file, is first named `catalog.new`.  From then on it counts, and whoever opens the
store while that name is there finishes the replacement first.
"""

from __future__ import annotations

import os
from contextlib import suppress

from clew.store.layout import Layout, sync_directory
from clew.store.new_database import SIDES


def begin_replacing(layout: Layout, new: str) -> None:
    """Make a verified database file the next catalogue; under the exclusive lock."""
    os.rename(new, layout.new_catalog)
    sync_directory(layout.root)


def is_replacing(layout: Layout) -> bool:
    """Tell whether a replacement has begun and not ended."""
    return os.path.exists(layout.new_catalog)


def finish_replacing(layout: Layout) -> str | None:
    """Put the next catalogue in place, if there is one; under the exclusive lock.

    Return the name that the old one has in quarantine/, where there was one.
    """
    try:
        found = os.stat(layout.new_catalog)
    except FileNotFoundError:
        return None
    # The same name each time, so that a replacement that is taken up again keeps files together.
    name = f"catalog-{found.st_ino:x}-{found.st_mtime_ns:x}.db"
    aside = os.path.join(layout.quarantine, name)
    is_first = not os.path.exists(layout.catalog)
    if not is_first:
        with suppress(FileExistsError):
            os.link(layout.catalog, aside)
        for side in SIDES[1:]:
            with suppress(FileNotFoundError):
                os.rename(layout.catalog + side, aside + side)
        sync_directory(layout.quarantine)
        sync_directory(layout.root)  # the old log is away before the new catalogue is there
    os.rename(layout.new_catalog, layout.catalog)
    sync_directory(layout.root)
    return None if is_first else name
