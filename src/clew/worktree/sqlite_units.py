"""A SQLite database and its journals are one thing: apart they are corrupt.

Recognised by name: a base ``x`` with ``x-wal`` or ``x-journal`` beside it.
"""

from __future__ import annotations

_SUFFIXES = (b"-wal", b"-journal")


def companions(name: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the names of the unit that `name` belongs to, the database first."""
    base = name
    for suffix in _SUFFIXES:
        if name.endswith(suffix):
            base = name[: -len(suffix)]
    return base, base + b"-wal", base + b"-journal"


def is_companion(name: bytes) -> bool:
    """Tell whether a name is a journal's."""
    return name.endswith(_SUFFIXES)
