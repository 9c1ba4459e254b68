"""SQLite units in a merge: a database and its journals, all taken from one side.

`x-wal` and `x-journal` contain transactions that are not yet in `x`; beside another `x` they
corrupt it.  SQLite rebuilds `x-shm` from the others, so a change to it alone does not count.
Names alone would make a unit of `notes` and `notes-journal`, so the content is checked as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from clew.diff.merge_entries import Version
from clew.model.entry import Entry, EntryKind

_DATABASE = b"SQLite format 3\x00"
_JOURNALS = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
"""Magic bytes of a write-ahead log, in either byte order, and of a rollback journal."""

_SUFFIXES = (b"-wal", b"-journal", b"-shm")

VersionsAt = Callable[[bytes], tuple[Version, Version, Version]]
"""Returns the entries of base, ours and theirs at a path."""


def companions(path: bytes) -> tuple[bytes, ...]:
    """Return the names of the unit that `path` would be part of, the database first."""
    base = path
    for suffix in _SUFFIXES:
        if path.endswith(suffix):
            base = path[: -len(suffix)]
    return base, *(base + suffix for suffix in _SUFFIXES)


def find_units(paths: Iterable[bytes], versions_at: VersionsAt) -> Iterator[tuple[bytes, ...]]:
    """Yield the units with a journal among `paths`, each as all its names."""
    seen: set[bytes] = set()
    for path in paths:
        names = companions(path)
        if names[0] == path or names[0] in seen:
            continue
        seen.add(names[0])
        if is_database(names, versions_at):
            yield names


def is_database(names: tuple[bytes, ...], versions_at: VersionsAt) -> bool:
    """Return whether any side has a database, or a journal of one, under these names."""
    for name in names[:-1]:
        for path, entry, contents in versions_at(name):
            if entry is None or entry.kind != EntryKind.FILE:
                continue
            start = contents.start(path, entry)
            if start.startswith(_DATABASE if name == names[0] else _JOURNALS):
                return True
    return False


def is_touched(names: tuple[bytes, ...], versions_at: VersionsAt, side: int) -> bool:
    """Return whether a side (1 ours, 2 theirs) changed the content of a database."""
    for name in names[:-1]:
        versions = versions_at(name)
        if not _holds_same(versions[0].entry, versions[side].entry):
            return True
    return False


def are_databases_equal(names: tuple[bytes, ...], versions_at: VersionsAt) -> bool:
    """Return whether both sides have the same database."""
    found = [versions_at(name) for name in names[:-1]]
    return all(_holds_same(ours.entry, theirs.entry) for _, ours, theirs in found)


def _holds_same(one: Entry | None, two: Entry | None) -> bool:
    if one is None or two is None:
        return one is two
    return one.same_content(two)
