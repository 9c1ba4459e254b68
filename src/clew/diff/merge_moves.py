"""Renames in a merge: an edit is applied at the path to which the other side moved the file.

Only exact renames count, as `renames.py` finds them, and only if the other side edited or moved
the same file; all others merge path by path.  Files with several identical copies, such as the
same licence in many packages, do not count as moved: which copy moved where would be a guess.

When one side moves a directory, the other side's edits in it move along.  Files that the other side
created in it stay at their path.
A move to two different paths, or to a path that is occupied on the other side, is a conflict.
"""

from __future__ import annotations

from collections import Counter

from clew.diff.merge_entries import MergedEntry, Version, is_same
from clew.diff.merge_table import Changes, MergeTable
from clew.diff.renames import pair_renames
from clew.model.change import Change, ChangeKind
from clew.model.entry import Entry
from clew.model.merge_results import THEIRS, ConflictReason
from clew.model.named_tuple import NamedTuple
from clew.model.path import name_of, parent_of

_ENDS = (ChangeKind.ADDED, ChangeKind.DELETED)

Moves = dict[bytes, bytes]
"""Old path to new path."""


def merge_renames(table: MergeTable, favour: str | None) -> None:
    """Decide every path that one side moved and the other changed or moved."""
    if not (_takes_away(table.our, table.their) or _takes_away(table.their, table.our)):
        return  # the other side changed nothing that moved
    our_moves, their_moves = (
        _moves(changes, table.settled) for changes in (table.our, table.their)
    )
    for path in sorted({*our_moves, *their_moves}):
        both = path in our_moves and path in their_moves
        here, there = our_moves.get(path, path), their_moves.get(path, path)
        if not table.is_selected(here):
            continue  # a change must stay within the selected paths
        if both or _is_edited(table.their if path in our_moves else table.our, path):
            _Move(table, path, here, there, favour).follow()


def _takes_away(changes: Changes, others: Changes) -> bool:
    """Return whether one side deleted or moved anything that the other side changed."""
    return any(
        change.kind == ChangeKind.DELETED and path in others for path, change in changes.items()
    )


def _moves(changes: Changes, settled: set[bytes]) -> Moves:
    loose = [
        change for change in changes.values() if change.kind in _ENDS and change.path not in settled
    ]
    moved = [change for change in pair_renames(loose) if change.kind == ChangeKind.RENAMED]
    with_parent = _moved_with_parent(moved)
    numbers = Counter(
        (change.kind, _identity(change)) for change in loose if change.path not in with_parent
    )
    moves: Moves = {}
    for change in moved:  # directories before what is in them
        old, identity = change.old_path, _identity(change)
        assert old is not None
        if change.path in with_parent:
            is_certain = parent_of(old) in moves
        else:
            is_certain = all(numbers[kind, identity] == 1 for kind in _ENDS)
        if is_certain:
            moves[old] = change.path
    return moves


def _moved_with_parent(moved: list[Change]) -> set[bytes]:
    """Return the old and new paths of entries that moved only with their directory."""
    places = {(change.old_path, change.path) for change in moved}
    found: set[bytes] = set()
    for old, new in places:
        if old is None or name_of(old) != name_of(new):
            continue
        if (parent_of(old), parent_of(new)) in places:
            found |= {old, new}
    return found


def _identity(change: Change) -> tuple[object, ...]:
    entry = change.new or change.old
    assert entry is not None
    content = entry.state if entry.is_directory else entry.content
    return entry.kind, content, entry.target


def _is_edited(changes: Changes, path: bytes) -> bool:
    change = changes.get(path)
    if change is None or change.kind not in (ChangeKind.MODIFIED, ChangeKind.METADATA):
        return False
    return not is_same(change.old, change.new)


class _MovedPath(NamedTuple):
    """One side's path of the moved entry, and its entry there."""

    path: bytes
    entry: Entry | None


class _Move:
    """The entry that was at `path`, and its path on both sides."""

    def __init__(
        self, table: MergeTable, path: bytes, here: bytes, there: bytes, favour: str | None
    ) -> None:
        self._table = table
        self._path = path
        base, ours, theirs = table.versions_at(path)
        self._before = base.entry
        self._mine = _MovedPath(
            here, ours.entry if here == path else table.versions_at(here)[1].entry
        )
        self._other = _MovedPath(
            there, theirs.entry if there == path else table.versions_at(there)[2].entry
        )
        self._takes_theirs = favour == THEIRS

    def follow(self) -> None:
        mine, other = self._mine, self._other
        self._table.settled |= {self._path, mine.path, other.path}
        if self._path not in (mine.path, other.path) and mine.path != other.path:
            self._moved_apart()
        elif mine.path != self._path:
            self._moved_here()
        else:
            self._moved_there()

    def _moved_apart(self) -> None:
        """Handle a move to a different path on each side."""
        mine = self._mine
        self._clash(ConflictReason.RENAMED)
        if not self._takes_theirs:
            self._table.decide(mine.path, mine.entry, self._merged())
            return
        self._table.decide(mine.path, mine.entry, MergedEntry(None))
        self._put_there()

    def _moved_here(self) -> None:
        """Handle a move by ours, or the same move by both: apply their changes at our path."""
        mine, other = self._mine, self._other
        outcome = self._merged()
        theirs = self._table.their.get(mine.path)
        if other.path != mine.path and theirs and not is_same(theirs.new, outcome.entry):
            if not self._are_directories(theirs.new):
                self._table.clash(mine.path, ConflictReason.OCCUPIED, None, mine.entry, theirs.new)
            if self._takes_theirs and not self._are_directories(theirs.new):
                self._table.decide(mine.path, mine.entry, MergedEntry(theirs.new))
                self._table.decide(other.path, None, MergedEntry(other.entry))
                return
        self._table.decide(mine.path, mine.entry, outcome)

    def _moved_there(self) -> None:
        """Handle a move by theirs: move it there, with our changes."""
        self._table.decide(self._mine.path, self._mine.entry, MergedEntry(None))
        if not self._put_there():
            self._table.decided.pop(self._mine.path, None)

    def _put_there(self) -> bool:
        """Put it at their path; return whether that was free or could be overwritten."""
        outcome, path = self._merged(), self._other.path
        occupant = self._table.versions_at(path)[1].entry
        if occupant is not None and not is_same(occupant, outcome.entry):
            if self._are_directories(occupant):
                outcome = MergedEntry(occupant)
            else:
                self._table.clash(path, ConflictReason.OCCUPIED, None, occupant, outcome.entry)
                if not self._takes_theirs:
                    return False
        self._table.decide(path, occupant, outcome)
        return True

    def _merged(self) -> MergedEntry:
        sides, table = self._table.sides, self._table
        outcome = table.merger.merge(
            Version(self._path, self._before, sides.base.contents),
            Version(self._mine.path, self._mine.entry, sides.ours.contents),
            Version(self._other.path, self._other.entry, sides.theirs.contents),
        )
        for clash in outcome.clashes:
            self._clash(clash)
        return outcome

    def _clash(self, reason: str) -> None:
        self._table.clash(self._path, reason, self._before, self._mine.entry, self._other.entry)

    def _are_directories(self, other: Entry | None) -> bool:
        """Return whether both are directories: then their content merges path by path."""
        is_directory = self._before is not None and self._before.is_directory
        return is_directory and other is not None and other.is_directory
