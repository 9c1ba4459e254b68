"""Repair a copy: undo what was done to it, at the cost of what differs.

A copy belongs to clew alone, so whatever is wrong in it is removed and made again.  If too much
differs, a new copy is faster, and the caller is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from clew.diff.trees import diff_trees, lookup, walk
from clew.errors import StoreDamaged
from clew.model import path as paths
from clew.model.change import Change, ChangeKind
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry
from clew.model.ids import ObjectId
from clew.model.small_objects import Group, decode_links, decode_xattrs
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.copies.materialize_copy import (
    Ids,
    Proved,
    look_at_copy,
    prove,
    source_of,
    telling_of_room,
)
from clew.worktree.cache import WorktreeCache
from clew.worktree.overlays import breaks_in_overlay
from clew.worktree.repair import Mending, mend

_LITTLE = 1000
_SHARE = 3
"""Repair is worthwhile for up to a third of the files, or for very few."""

Get = Callable[[ObjectId], bytes]


def set_right(
    context: Context,
    checkpoint: Checkpoint,
    directory: bytes,
    before: Ids | None,
    cache: WorktreeCache,
    monitor: Monitor,
) -> Proved | None:
    """Make a directory exactly what a checkpoint holds; None if a new copy is better.

    `before` is its state (tree and links) when it was last verified as this checkpoint's copy.
    """
    found, trees = look_at_copy(context, checkpoint, directory, cache, monitor)
    if (found.tree, found.links) == before:
        return Proved((), found.tree, found.links)
    record = checkpoint.record
    wrong = _Wrong(record.tree, trees.get)
    wrong.compare(found.tree)
    wrong.compare_links(
        decode_links(trees.get(record.links)),
        decode_links(trees.get(found.links)),
        found.linked_outside,
    )
    if len(wrong.make) > max(_LITTLE, record.coverage.files // _SHARE):
        return None
    source, processes = source_of(context.store), context.host.processors()
    with telling_of_room(context, checkpoint, directory):
        troubles = mend(directory, wrong.mending(), source, monitor, processes=processes)
    return prove(context, checkpoint, directory, troubles, cache, monitor)


def is_near(old: ObjectId, checkpoint: Checkpoint, get: Get) -> bool:
    """Return whether a copy of the tree `old` is worth repairing into one of a checkpoint."""
    limit = max(_LITTLE, checkpoint.record.coverage.files // (2 * _SHARE))
    try:
        changes = diff_trees(old, checkpoint.record.tree, get, mtimes=True)
        return sum(1 for _ in islice(changes, limit)) < limit
    except StoreDamaged:  # its own tree is no longer in the store
        return False


def still_layered(old: ObjectId, checkpoint: Checkpoint, get: Get) -> bool:
    """Return whether nothing new since `old` is unfit for an overlay."""

    def names(xattrs: ObjectId) -> Iterable[bytes]:
        return decode_xattrs(get(xattrs))

    return not any(
        change.new is not None
        and breaks_in_overlay(change.path if change.new.is_directory else b"", change.new, names)
        for change in diff_trees(old, checkpoint.record.tree, get, mtimes=True)
    )


class _Wrong:
    """The differences of a copy, collected for the repair."""

    def __init__(self, target: ObjectId, get: Get) -> None:
        self._target = target
        self._get = get
        self._remove: list[bytes] = []
        self._directories: dict[bytes, Entry] = {}
        self._touched: set[bytes] = set()
        self._finish: dict[bytes, Entry] = {}
        self._groups: list[Group] = []
        self.make: dict[bytes, Entry] = {}

    def compare(self, found: ObjectId) -> None:
        """Collect everything that differs from the target."""
        for change in diff_trees(found, self._target, self._get, mtimes=True, uncovered=True):
            if _is_own_metadata(change):
                assert change.new is not None
                self._finish[change.path] = change.new
                continue
            if change.old is not None:
                self._take_away(change.path)
            if change.new is None or not change.new.is_covered:
                continue
            if change.old is not None and not change.old.is_covered:
                self._make_all(change.path)  # what was below could not be seen
            else:
                self._put(change.path, change.new)

    def compare_links(
        self, wanted: Iterable[Group], there: Iterable[Group], outside: Iterable[bytes]
    ) -> None:
        """Collect wrong hard links."""
        groups, found = _by_path(wanted), _by_path(there)
        for path in {*groups, *found}:
            if groups.get(path) != found.get(path):
                self._remake(groups.get(path, ()))
                self._remake(found.get(path, ()))
        self._remake(outside)
        self._groups = [group for group in set(groups.values()) if group[0] in self.make]

    def mending(self) -> Mending:
        """Return the steps, in an order that works."""
        for path in self._touched - self._finish.keys():
            entry = lookup(self._target, path, self._get)
            if entry is not None and entry.is_directory:
                self._finish[path] = entry
        self._finish |= self._directories
        return Mending(
            remove=tuple(_topmost(self._remove)),
            make_directories=tuple(sorted(self._directories)),
            make=tuple(sorted(self.make.items())),
            groups=tuple(sorted(self._groups)),
            finish=tuple(sorted(self._finish.items(), reverse=True)),
        )

    def _take_away(self, path: bytes) -> None:
        self._remove.append(path)
        self._touched.add(paths.parent_of(path))

    def _put(self, path: bytes, entry: Entry) -> None:
        (self._directories if entry.is_directory else self.make)[path] = entry
        self._touched.add(paths.parent_of(path))

    def _make_all(self, path: bytes) -> None:
        for below, entry in walk(self._target, self._get, path):
            if entry.is_covered:
                self._put(below, entry)

    def _remake(self, group: Iterable[bytes]) -> None:
        for path in group:
            entry = lookup(self._target, path, self._get)
            if path not in self.make and entry is not None and not entry.is_directory:
                self._take_away(path)
                self._put(path, entry)


def _is_own_metadata(change: Change) -> bool:
    return change.kind == ChangeKind.METADATA and change.new is not None and change.new.is_directory


def _by_path(groups: Iterable[Group]) -> dict[bytes, Group]:
    return {path: group for group in groups for path in group}


def _topmost(found: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the paths that are not below another."""
    last: bytes | None = None
    for path in sorted(found, key=lambda one: one.split(b"/")):
        if last is None or not paths.is_within(path, last):
            yield path
            last = path
