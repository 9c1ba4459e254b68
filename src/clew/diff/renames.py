"""Rename detection: pairs a deletion with an addition of the same content.

Only exact renames are detected: a regular file with the same content and at least one byte, a
symlink with the same target, a directory that is not empty and has the same state.
Empty files and empty directories are all alike, so they pair only as part of a directory that
moved as a whole; then everything in it pairs by its relative path.

With several candidates, those with the same base name pair first, then the rest in path order.
The same changes always give the same renames.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable

from clew.model.change import Change, ChangeKind
from clew.model.entry import Entry, EntryKind
from clew.model.ids import state_id
from clew.model.path import name_of

_EMPTY_DIRECTORY = state_id(b"")


def pair_renames(changes: Iterable[Change]) -> list[Change]:
    """Return `changes` with each pair as one `renamed` change at its new path; sorted by path."""
    ordered = sorted(changes, key=path_order)
    pairing = _Pairing(ordered)
    pairing.pair_directories()
    pairing.pair_files()
    if not pairing.renamed:
        return ordered
    result = [change for change in ordered if change.path not in pairing.moved]
    result += pairing.renamed
    result.sort(key=path_order)
    return result


def path_order(change: Change) -> bytes:
    """Sort key of a depth-first walk: `a`, `a/b`, `a.txt`."""
    return change.path.replace(b"/", b"\x00")  # no name contains a NUL


class _Pairing:
    """Deletions and additions, some of which are paired as renames."""

    def __init__(self, ordered: list[Change]) -> None:
        self.renamed: list[Change] = []
        self.moved: set[bytes] = set()
        """Old and new paths of the renames."""
        self._added = [change for change in ordered if change.kind == ChangeKind.ADDED]
        self._deleted = [change for change in ordered if change.kind == ChangeKind.DELETED]
        self._deleted_by_path = {change.path: change for change in self._deleted}
        self._position = {change.path: at for at, change in enumerate(self._added)}

    def pair_directories(self) -> None:
        """Pair directories, outermost first, each with its whole content."""
        added = _by_identity(self._added, directories=True)
        if not added:  # a mass deletion need not be read
            return
        deleted = _by_identity(self._deleted, directories=True)
        for identity, candidates in added.items():  # in the order of their first path
            free = self._free(candidates)
            for old, new in _matches(self._free(deleted.get(identity, [])), free):
                self._move_directory(old, new)

    def pair_files(self) -> None:
        """Pair files and symlinks that moved on their own."""
        added = _by_identity(self._free(self._added), directories=False)
        if not added:
            return
        deleted = _by_identity(self._free(self._deleted), directories=False)
        for identity, candidates in added.items():
            for old, new in _matches(deleted.get(identity, []), candidates):
                self._move(old, new)

    def _move_directory(self, old: Change, new: Change) -> None:
        self._move(old, new)
        inside = new.path + b"/"
        # In path order the content of a directory comes right after it.
        for at in range(self._position[new.path] + 1, len(self._added)):
            child = self._added[at]
            if not child.path.startswith(inside):
                break
            twin = self._deleted_by_path.get(old.path + child.path[len(new.path) :])
            if (
                twin is not None
                and not self.moved & {child.path, twin.path}
                and _are_equal(twin, child)
            ):
                self._move(twin, child)

    def _move(self, old: Change, new: Change) -> None:
        self.renamed.append(Change(new.path, ChangeKind.RENAMED, old.old, new.new, old.path))
        self.moved |= {old.path, new.path}

    def _free(self, changes: list[Change]) -> list[Change]:
        return [change for change in changes if change.path not in self.moved]


def _by_identity(changes: list[Change], *, directories: bool) -> dict[Hashable, list[Change]]:
    found: dict[Hashable, list[Change]] = {}
    for change in changes:
        entry = change.new or change.old
        if entry is None or entry.is_directory != directories:
            continue
        identity = _identity(entry)
        if identity is not None:
            found.setdefault(identity, []).append(change)
    return found


def _identity(entry: Entry) -> Hashable | None:
    """Return what identifies an entry at another path, or None if it is too common to identify."""
    if entry.kind == EntryKind.FILE:
        return entry.content if entry.size else None
    if entry.kind == EntryKind.SYMLINK:
        return "symlink", entry.target
    if entry.kind == EntryKind.DIRECTORY:
        return entry.state if entry.state != _EMPTY_DIRECTORY else None
    return None


def _are_equal(deleted: Change, added: Change) -> bool:
    old, new = deleted.old, added.new
    return old is not None and new is not None and old.same_content(new) and old.state == new.state


def _matches(deleted: list[Change], added: list[Change]) -> list[tuple[Change, Change]]:
    """Pair changes that differ only in their path: by base name, then in path order."""
    if not deleted:
        return []
    by_name: dict[bytes, deque[Change]] = {}
    for change in deleted:
        by_name.setdefault(name_of(change.path), deque()).append(change)
    pairs: list[tuple[Change, Change]] = []
    left: list[Change] = []
    for change in added:
        same_name = by_name.get(name_of(change.path))
        if same_name:
            pairs.append((same_name.popleft(), change))
        else:
            left.append(change)
    taken = {old.path for old, _ in pairs}
    rest = [change for change in deleted if change.path not in taken]
    pairs.extend(zip(rest, left, strict=False))
    return pairs
