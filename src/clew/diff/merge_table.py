"""Merge table: the state of a tree merge, by path, and the decisions made so far."""

from __future__ import annotations

from clew.diff.merge_entries import Contents, EntryMerger, MergedEntry, Version, is_same
from clew.diff.trees import lookup
from clew.model.change import Change
from clew.model.entry import NO_ID, Entry
from clew.model.ids import ObjectId
from clew.model.merge_results import Conflict
from clew.model.named_tuple import NamedTuple
from clew.model.path import ancestors, is_within
from clew.model.small_objects import Group
from clew.model.tree import Get

Changes = dict[bytes, Change]
Versions = tuple[Version, Version, Version]
"""Of base, ours and theirs."""


class MergeSide(NamedTuple):
    """One of the three trees."""

    tree: ObjectId
    links: tuple[Group, ...]
    contents: Contents


class Sides(NamedTuple):
    """The three trees of a merge."""

    base: MergeSide
    ours: MergeSide
    theirs: MergeSide


class MergeTable:
    """The paths of a merge; each step of the merge updates it."""

    def __init__(
        self, sides: Sides, our: Changes, their: Changes, get: Get, merger: EntryMerger
    ) -> None:
        self.sides = sides
        self.our = our
        """Changes from base to ours, by path."""
        self.their = their
        """Changes from base to theirs, by path, without those not selected."""
        self.get = get
        self.merger = merger
        self.within: tuple[bytes, ...] = ()
        """Paths that may change; empty for all."""
        self.uncovered: set[bytes] = set()
        """Paths that a side does not cover: they and everything below are left alone."""
        self.settled: set[bytes] = set()
        """Paths that are already decided."""
        self.decided: dict[bytes, Entry | None] = {}
        """Entries of the result that differ from ours."""
        self.texts: dict[ObjectId, bytes] = {}
        self.merged: set[bytes] = set()
        self.conflicts: dict[tuple[bytes, str], Conflict] = {}

    def versions_at(self, path: bytes) -> Versions:
        """Return the entries of the three trees at a path."""
        ours, theirs = self.our.get(path), self.their.get(path)
        change = ours or theirs
        before = change.old if change else lookup(self.sides.base.tree, path, self.get)
        entries = before, ours.new if ours else before, theirs.new if theirs else before
        base, mine, other = (
            Version(path, entry, side.contents)
            for entry, side in zip(entries, self.sides, strict=True)
        )
        return base, mine, other

    def ours_at(self, path: bytes) -> Entry | None:
        """Return the entry of ours at a path, covered or not."""
        return lookup(self.sides.ours.tree, path, self.get)

    def result_at(self, path: bytes) -> Entry | None:
        """Return the entry of the result at a path, as decided so far."""
        if path in self.decided:
            return self.decided[path]
        return self.ours_at(path)

    def is_selected(self, path: bytes) -> bool:
        """Return whether a path may be changed."""
        return not self.within or any(is_within(path, chosen) for chosen in self.within)

    def is_uncovered(self, path: bytes) -> bool:
        """Return whether a side does not cover a path."""
        if not self.uncovered:
            return False
        return path in self.uncovered or not self.uncovered.isdisjoint(ancestors(path))

    def decide(self, path: bytes, mine: Entry | None, outcome: MergedEntry) -> None:
        """Record the result for a path, if it differs from ours."""
        entry = outcome.entry
        if is_same(entry, mine):
            self.decided.pop(path, None)
            return
        if entry is not None and entry.is_directory:
            entry = entry._replace(content=self._our_listing(path))
        self.decided[path] = entry
        if outcome.text is not None and entry is not None:
            self.texts[entry.content] = outcome.text
            self.merged.add(path)

    def _our_listing(self, path: bytes) -> ObjectId:
        """Return the tree id of our directory at a path, or NO_ID; changes do not contain it."""
        there = self.ours_at(path)
        return there.content if there is not None and there.is_directory else NO_ID

    def clash(self, path: bytes, reason: str, *entries: Entry | None) -> None:
        """Record a conflict, with the entries of base, ours and theirs."""
        base, ours, theirs = entries
        self.conflicts.setdefault((path, reason), Conflict(path, reason, base, ours, theirs))

    def discard_below(self, path: bytes) -> None:
        """Discard the decisions below a path."""
        inside = path + b"/"
        for other in [other for other in self.decided if other.startswith(inside)]:
            del self.decided[other]
            self.merged.discard(other)
