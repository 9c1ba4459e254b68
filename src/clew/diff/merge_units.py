"""A SQLite database and its journals in a merge: one thing, whose parts come from one side.

`x-wal` and `x-journal` hold transactions that are not in `x` yet; beside another `x` they corrupt
it.  `x-shm` is made anew from the others, so a change to it alone is none.
Names alone would make units of `notes` and `notes-journal`, so the bytes are asked as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from clew.diff.merge_entries import Version
from clew.model.entry import Entry, EntryKind

_DATABASE = b"SQLite format 3\x00"
_JOURNALS = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
"""How a write-ahead log begins, in either byte order, and how a rollback journal does."""

_SUFFIXES = (b"-wal", b"-journal", b"-shm")

Look = Callable[[bytes], tuple[Version, Version, Version]]
"""Gives what base, ours and theirs hold at a path."""


def companions(path: bytes) -> tuple[bytes, ...]:
    """Return the names of the unit that `path` would belong to, the database first."""
    base = path
    for suffix in _SUFFIXES:
        if path.endswith(suffix):
            base = path[: -len(suffix)]
    return base, *(base + suffix for suffix in _SUFFIXES)


def units_among(paths: Iterable[bytes], look: Look) -> Iterator[tuple[bytes, ...]]:
    """Yield the databases of which any journal is among `paths`, each as all its names."""
    seen: set[bytes] = set()
    for path in paths:
        names = companions(path)
        if names[0] == path or names[0] in seen:
            continue
        seen.add(names[0])
        if is_database(names, look):
            yield names


def is_database(names: tuple[bytes, ...], look: Look) -> bool:
    """Tell whether any side holds a database, or a journal of one, under these names."""
    for name in names[:-1]:
        for path, entry, contents in look(name):
            if entry is None or entry.kind != EntryKind.FILE:
                continue
            start = contents.start(path, entry)
            if start.startswith(_DATABASE if name == names[0] else _JOURNALS):
                return True
    return False


def is_touched(names: tuple[bytes, ...], look: Look, side: int) -> bool:
    """Tell whether a side (1 ours, 2 theirs) changed the content of a database."""
    for name in names[:-1]:
        versions = look(name)
        if not _holds_same(versions[0].entry, versions[side].entry):
            return True
    return False


def is_alike(names: tuple[bytes, ...], look: Look) -> bool:
    """Tell whether both sides hold the same database."""
    found = [look(name) for name in names[:-1]]
    return all(_holds_same(ours.entry, theirs.entry) for _, ours, theirs in found)


def _holds_same(one: Entry | None, two: Entry | None) -> bool:
    if one is None or two is None:
        return one is two
    return one.same_content(two)
