"""SQLite units: a database and its journals, which are consistent only together.

They are recognised by name: a base ``x`` with ``x-wal`` or ``x-journal`` beside it.
"""

from __future__ import annotations

_SUFFIXES = (b"-wal", b"-journal")


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
