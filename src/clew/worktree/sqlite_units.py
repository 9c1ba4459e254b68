"""SQLite units: a database and its journals, which are consistent only together.

They are recognised by name: a base ``x`` with ``x-wal`` or ``x-journal`` beside it.
"""

from __future__ import annotations

import os

_SUFFIXES = (b"-wal", b"-journal")
MAGIC = (
    b"SQLite format 3\x00",
    b"\x37\x7f\x06\x82",
    b"\x37\x7f\x06\x83",
    b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7",
)
"""How a database, a write-ahead log in either byte order, and a rollback journal begin."""


def companions(name: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the names of the unit that contains `name`, the database first."""
    base = name
    for suffix in _SUFFIXES:
        if name.endswith(suffix):
            base = name[: -len(suffix)]
    return base, base + b"-wal", base + b"-journal"


def is_companion(name: bytes) -> bool:
    """Return whether a name is that of a journal."""
    return name.endswith(_SUFFIXES)


def is_database(directory: int, name: bytes) -> bool:
    """Return whether a file is a database or a journal of one; true if it cannot be read."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(name, flags, dir_fd=directory), "rb", buffering=0) as file:
            return bool(file.read(16).startswith(MAGIC))
    except OSError:
        return True
