"""Directories in a merge: every entry of the result needs its parent directories.

A directory that one side deleted is kept, or recreated, if the other side has something new in it.
If the other side replaced it with something else than a directory, that is a conflict.
Uncovered entries cannot be moved: their directories stay as in ours.
"""

from __future__ import annotations

from clew.diff.merge_table import MergeTable
from clew.diff.trees import lookup, walk
from clew.model.entry import NO_ID, Entry
from clew.model.merge_results import THEIRS, ConflictReason
from clew.model.path import ancestors, holds_any, parent_of


def merge_directories(table: MergeTable, favour: str | None) -> list[bytes]:
    """Make the decisions consistent; return the directories that must be left alone."""
    shape = _Shape(table, favour)
    shape.keep_directories()
    shape.add_parents()
    return shape.skipped


class _Shape:
    def __init__(self, table: MergeTable, favour: str | None) -> None:
        self._table = table
        self._favour = favour
        self.skipped: list[bytes] = []
        self._directories: set[bytes] = {b""}
        """Paths known to be directories in the result."""

    def keep_directories(self) -> None:
        """Keep the directories of ours that are not empty in the result."""
        table = self._table
        occupied, uncovered = sorted(self._occupied()), sorted(self._uncovered())
        for path in sorted(table.decided):
            entry = table.decided.get(path)
            if path not in table.decided or (entry is not None and entry.is_directory):
                continue
            if not holds_any(path, occupied):
                continue
            if entry is None:
                del table.decided[path]
            elif holds_any(path, uncovered):
                self.skipped.append(path)
                self._keep_ours(path)
            else:
                self._clash(path)

    def add_parents(self) -> None:
        """Ensure that every added entry has its parent directories."""
        coming = [path for path, entry in self._table.decided.items() if entry is not None]
        for path in sorted(coming):
            if path in self._table.decided and parent_of(path) not in self._directories:
                self._add_parents_of(path)

    def _add_parents_of(self, path: bytes) -> None:
        table = self._table
        for above in reversed(ancestors(path)):
            if above in self._directories:
                continue
            entry = table.result_at(above)
            if entry is None:
                theirs = lookup(table.sides.theirs.tree, above, table.get)
                entry = theirs if theirs is not None and theirs.is_directory else None
                if entry is not None:
                    table.decided[above] = entry._replace(content=NO_ID)
            if entry is None or not entry.is_directory:
                self._clash(above)
                return
            self._directories.add(above)

    def _clash(self, path: bytes) -> None:
        """Record a conflict: a directory on one side only, with changes on both sides."""
        base, ours, theirs = (
            lookup(side.tree, path, self._table.get) for side in self._table.sides
        )
        self._table.clash(path, ConflictReason.DIRECTORY, base, ours, theirs)
        if self._favour == THEIRS:
            self._take_theirs(path, theirs)
        else:
            self._keep_ours(path)

    def _keep_ours(self, path: bytes) -> None:
        self._table.discard_below(path)
        self._table.decided.pop(path, None)

    def _take_theirs(self, path: bytes, theirs: Entry | None) -> None:
        table = self._table
        table.discard_below(path)
        if theirs is None or not theirs.is_directory:
            table.decided[path] = theirs
            return
        for below, entry in walk(table.sides.theirs.tree, table.get, path):
            if entry.is_covered and not table.is_uncovered(below):
                is_directory = entry.is_directory
                table.decided[below] = entry._replace(content=NO_ID) if is_directory else entry
                if is_directory:
                    self._directories.add(below)

    def _occupied(self) -> set[bytes]:
        """Return the entries of the result that keep their directory although theirs deleted it."""
        table = self._table
        mine = {
            path
            for path, change in table.our.items()
            if change.new is not None and path not in table.decided
        }
        coming = {path for path, entry in table.decided.items() if entry is not None}
        return mine | coming | self._uncovered()

    def _uncovered(self) -> set[bytes]:
        """Return the paths that exist in ours and that a side does not cover."""
        table = self._table
        return {path for path in table.uncovered if table.ours_at(path) is not None}
