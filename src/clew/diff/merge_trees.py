"""Three-way tree merge: applies the changes from base to theirs to ours.

The result is a set of edits to ours.  The order is:

    left alone   paths that any side does not cover, and paths that the rules exclude
    units        a SQLite database with its journals comes from one side, or is a conflict
    moves        an edit is applied where the other side moved the file
    paths        everything else, one by one
    shape        entries get their parent directories, and directories left empty are deleted
    links        hard links, between names that are still identical

Without a favoured side conflicts keep ours, and the caller writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.diff.merge_entries import EntryMerger, MergedEntry, Version
from clew.diff.merge_links import merge_links
from clew.diff.merge_moves import merge_renames
from clew.diff.merge_shape import merge_directories
from clew.diff.merge_table import Changes, MergeSide, MergeTable, Sides, Versions
from clew.diff.merge_units import (
    are_databases_equal,
    companions,
    find_units,
    is_database,
    is_touched,
)
from clew.diff.trees import diff_trees
from clew.model.change import Change
from clew.model.entry import Entry
from clew.model.ids import ObjectId
from clew.model.merge_results import OURS, THEIRS, Conflict, ConflictReason
from clew.model.named_tuple import NamedTuple
from clew.model.path import holds_any, parent_of
from clew.model.small_objects import Group
from clew.model.tree import Get

__all__ = ["MergeResult", "MergeSide", "Sides", "merge_trees"]

IsExcluded = Callable[[bytes, bool], bool]
"""Returns whether the rules exclude a path; the second argument is whether it is a directory."""


class MergeOptions(NamedTuple):
    """Options of a tree merge."""

    within: tuple[bytes, ...] = ()
    """Take only changes to these paths and below; empty for all."""
    favour: str | None = None
    """The side that resolves conflicts: `ours`, `theirs`, or None."""
    is_excluded: IsExcluded = lambda path, is_directory: False
    mtime_ns: int = 0
    """The time of the merge, for texts that differ from both sides."""
    larger_than: int | None = None
    """The size above which files are excluded."""


class MergeResult(NamedTuple):
    """The edits that turn ours into the merge, and the conflicts."""

    edits: dict[bytes, Entry | None]
    """For `model.tree_edit`."""
    texts: dict[ObjectId, bytes]
    """Merged contents by their id in the edits; those above 1 MiB are stored under another id."""
    links: tuple[Group, ...]
    conflicts: tuple[Conflict, ...]
    """All conflicts, including those that the favoured side resolved."""
    merged: tuple[bytes, ...]
    skipped: tuple[bytes, ...]
    """Changes that are not applied, because a side does not cover the path."""


_DEFAULTS = MergeOptions()


def merge_trees(sides: Sides, get: Get, options: MergeOptions = _DEFAULTS) -> MergeResult:
    """Return the edits that apply the changes from base to theirs to ours."""
    return _TreeMerge(sides, get, options).run()


class _TreeMerge:
    def __init__(self, sides: Sides, get: Get, options: MergeOptions) -> None:
        self._sides = sides
        self._favour = options.favour
        self._is_excluded = options.is_excluded
        self._larger_than = options.larger_than
        our, their = (
            {
                change.path: change
                for change in diff_trees(
                    sides.base.tree, side.tree, get, mtimes=True, uncovered=True
                )
            }
            for side in (sides.ours, sides.theirs)
        )
        merger = EntryMerger(options.favour, options.mtime_ns)
        self._table = MergeTable(sides, our, their, get, merger)
        self._table.within = self._with_units(options.within)

    def run(self) -> MergeResult:
        table = self._table
        table.their = {path: one for path, one in table.their.items() if table.is_selected(path)}
        skipped = self._leave_alone()
        skipped |= self._merge_units()
        merge_renames(table, self._favour)
        for path in sorted(table.their.keys() - table.settled):
            self._merge_path(path)
        skipped |= set(merge_directories(table, self._favour))
        links = self._merge_links()
        return MergeResult(
            table.decided,
            self._texts(),
            links,
            self._conflicts(),
            tuple(sorted(table.merged)),
            tuple(sorted(skipped)),
        )

    def _with_units(self, within: tuple[bytes, ...]) -> tuple[bytes, ...]:
        found = dict.fromkeys(within)
        for path in within:
            names = companions(path)
            if is_database(names, self._table.versions_at):
                found.update(dict.fromkeys(names))
        return tuple(found)

    # ---- left alone ----

    def _leave_alone(self) -> set[bytes]:
        """Drop paths that a side does not cover; return those whose change is not applied."""
        table = self._table
        for changes in (table.our, table.their):
            table.uncovered |= {
                path for path, change in changes.items() if self._is_uncovered(change)
            }
        skipped: set[bytes] = set()
        if table.uncovered:
            skipped = {
                path
                for path, change in table.their.items()
                if table.is_uncovered(path) and not _removes_uncovered(change)
            }
            table.our = self._covered(table.our)
            table.their = self._covered(table.their)
        return skipped

    def _is_uncovered(self, change: Change) -> bool:
        entries = [entry for entry in (change.old, change.new) if entry is not None]
        if not all(entry.is_covered for entry in entries):
            return True
        limit = self._larger_than
        if limit is not None and any(entry.is_file and entry.size > limit for entry in entries):
            return True
        is_directory = any(entry.is_directory for entry in entries)
        return self._is_excluded(change.path, is_directory)

    def _covered(self, changes: Changes) -> Changes:
        return {path: one for path, one in changes.items() if not self._table.is_uncovered(path)}

    # ---- units ----

    def _merge_units(self) -> set[bytes]:
        """Merge SQLite databases; return those that are left alone."""
        table = self._table
        skipped: set[bytes] = set()
        paths = sorted(table.our.keys() | table.their.keys() | table.uncovered)
        for names in list(find_units(paths, table.versions_at)):
            table.settled.update(names)
            if any(map(table.is_uncovered, names)):
                skipped.update(name for name in names if name in table.their)
                continue
            side = self._side_of_unit(names)
            for name in names:
                self._merge_member(name, side)
        return skipped

    def _side_of_unit(self, names: Sequence[bytes]) -> str:
        versions_at, unit = self._table.versions_at, tuple(names)
        if not is_touched(unit, versions_at, 2) or are_databases_equal(unit, versions_at):
            return OURS
        if not is_touched(unit, versions_at, 1):
            return THEIRS
        entries = (version.entry for version in versions_at(unit[0]))
        self._table.clash(unit[0], ConflictReason.DATABASE, *entries)
        return self._favour or OURS

    def _merge_member(self, name: bytes, side: str) -> None:
        """Take the content of a file from one side, and merge the metadata of both."""
        base, ours, theirs = self._table.versions_at(name)
        taken, other = (ours, theirs) if side == OURS else (theirs, ours)
        outcome = MergedEntry(taken.entry)
        if base.entry and taken.entry and other.entry:
            if base.entry.kind == taken.entry.kind == other.entry.kind:
                plain = _with_content_of(base.entry, other)
                mine = ours if side == OURS else plain
                outcome = self._table.merger.merge(base, mine, plain if side == OURS else theirs)
                self._record_clashes(name, (base, ours, theirs), outcome)
        self._table.decide(name, ours.entry, outcome)

    # ---- paths ----

    def _merge_path(self, path: bytes) -> None:
        versions = self._table.versions_at(path)
        outcome = self._table.merger.merge(*versions)
        self._record_clashes(path, versions, outcome)
        self._table.decide(path, versions[1].entry, outcome)

    def _record_clashes(self, path: bytes, versions: Versions, outcome: MergedEntry) -> None:
        for clash in outcome.clashes:
            self._table.clash(path, clash, *(version.entry for version in versions))

    # ---- links ----

    def _merge_links(self) -> tuple[Group, ...]:
        table, sides = self._table, self._sides
        links = merge_links(
            self._selected_groups(sides.base.links),
            sides.ours.links,
            self._selected_groups(sides.theirs.links),
            table.result_at,
            table.decided.__contains__,
        )
        for group in links:
            self._share_mtime(group)
        return tuple(links)

    def _selected_groups(self, groups: Sequence[Group]) -> list[Group]:
        """Return the groups, restricted to paths that may change."""
        table = self._table
        if not table.within and not table.uncovered:
            return list(groups)
        kept = [
            tuple(
                path for path in group if table.is_selected(path) and not table.is_uncovered(path)
            )
            for group in groups
        ]
        return [group for group in kept if len(group) > 1]

    def _share_mtime(self, group: Group) -> None:
        """Give all names of a group the latest mtime: one inode has one mtime."""
        touched = [entry for path in group if (entry := self._table.decided.get(path)) is not None]
        if not touched:
            return
        entries = {path: self._table.result_at(path) for path in group}
        latest = max(entry.mtime_ns for entry in entries.values() if entry is not None)
        for path, entry in entries.items():
            if entry is not None and entry.mtime_ns != latest:
                self._table.decided[path] = entry._replace(mtime_ns=latest)

    # ---- the result ----

    def _texts(self) -> dict[ObjectId, bytes]:
        table = self._table
        kept = (table.decided.get(path) for path in table.merged)
        used = {entry.content for entry in kept if entry is not None}
        return {content: text for content, text in table.texts.items() if content in used}

    def _conflicts(self) -> tuple[Conflict, ...]:
        """Return the conflicts in order, without those that another one implies."""
        found = self._table.conflicts
        in_order = sorted(path for path, _ in found)
        said = {
            (path, reason)
            for path, reason in found
            if (reason == ConflictReason.RENAMED and (parent_of(path), reason) in found)
            or (reason == ConflictReason.DIRECTORY and holds_any(path, in_order))
        }
        return tuple(found[key] for key in sorted(found.keys() - said))


def _removes_uncovered(change: Change) -> bool:
    """Return whether a change only removes an uncovered entry: a copy lacks what its base lacked."""
    return change.new is None and change.old is not None and not change.old.is_covered


def _with_content_of(before: Entry, version: Version) -> Version:
    assert version.entry is not None
    entry = version.entry._replace(
        size=before.size, content=before.content, target=before.target, device=before.device
    )
    return version._replace(entry=entry)
