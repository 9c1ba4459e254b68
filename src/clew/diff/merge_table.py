"""What is known of every path in a merge, and what has been decided of it so far."""

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
    """One of the three moments."""

    tree: ObjectId
    links: tuple[Group, ...]
    contents: Contents


class Sides(NamedTuple):
    """The three moments of a merge."""

    base: MergeSide
    ours: MergeSide
    theirs: MergeSide


class MergeTable:
    """The paths of a merge; the steps of the merge take turns at it."""

    def __init__(
        self, sides: Sides, our: Changes, their: Changes, get: Get, merger: EntryMerger
    ) -> None:
        self.sides = sides
        self.our = our
        """What ours changed since the base, by path."""
        self.their = their
        """What theirs changed; what is not to be taken is not in it."""
        self.get = get
        self.merger = merger
        self.within: tuple[bytes, ...] = ()
        """Where changes may be made; empty for everywhere."""
        self.blind: set[bytes] = set()
        """Paths that a side does not cover: they and all below are left alone."""
        self.settled: set[bytes] = set()
        """Paths that need no second look."""
        self.decided: dict[bytes, Entry | None] = {}
        """What the result holds where it is not what ours holds."""
        self.texts: dict[ObjectId, bytes] = {}
        self.merged: set[bytes] = set()
        self.conflicts: dict[tuple[bytes, str], Conflict] = {}

    def look(self, path: bytes) -> Versions:
        """Return what the three moments hold at a path."""
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
        """Return what ours holds at a path, covered or not."""
        return lookup(self.sides.ours.tree, path, self.get)

    def result_at(self, path: bytes) -> Entry | None:
        """Return what the result holds at a path, as far as it is decided."""
        if path in self.decided:
            return self.decided[path]
        return self.ours_at(path)

    def is_chosen(self, path: bytes) -> bool:
        """Tell whether a path may be changed."""
        return not self.within or any(is_within(path, chosen) for chosen in self.within)

    def is_blind(self, path: bytes) -> bool:
        """Tell whether a side does not cover a path."""
        if not self.blind:
            return False
        return path in self.blind or not self.blind.isdisjoint(ancestors(path))

    def decide(self, path: bytes, mine: Entry | None, outcome: MergedEntry) -> None:
        """Keep what a path becomes, where it is not what ours holds there."""
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
        """Return what a directory of ours holds, which no change of its own tells; or nothing."""
        there = self.ours_at(path)
        return there.content if there is not None and there.is_directory else NO_ID

    def clash(self, path: bytes, reason: str, *entries: Entry | None) -> None:
        """Keep a conflict, with what base, ours and theirs hold."""
        base, ours, theirs = entries
        self.conflicts.setdefault((path, reason), Conflict(path, reason, base, ours, theirs))

    def forget_below(self, path: bytes) -> None:
        """Take back what was decided below a path."""
        inside = path + b"/"
        for other in [other for other in self.decided if other.startswith(inside)]:
            del self.decided[other]
            self.merged.discard(other)
