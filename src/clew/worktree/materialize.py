"""Materialisation: writes a whole tree of the store into an empty directory.

    walk      create the directories top down, accessible to the owner only
    fill      create their entries, in several processes, in pack order
    link      create hard links
    finish    set flags that forbid changes, then directory metadata, deepest first

Uncovered entries are not created.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from clew.model import path as paths
from clew.model.entry import Entry
from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.model.small_objects import Group, decode_xattrs
from clew.model.tree import read_directory, read_root
from clew.monitor import Monitor
from clew.worktree.fill_directories import (
    ContentSource,
    Filler,
    PendingEntry,
    Problem,
    blocks_changes,
    fill,
)
from clew.worktree.overlays import breaks_in_overlay
from clew.worktree.progress import SharedProgress
from clew.worktree.root import Root

PHASE = "write"

_BATCH = 200_000
"""Entries held in memory at a time."""


class Materialised(NamedTuple):
    """The result of materialising a tree."""

    problems: tuple[Problem, ...]
    """What could not be restored."""
    may_be_layered: bool
    """An overlay on top of it shows exactly its content."""


def materialise(
    directory: bytes,
    tree: ObjectId,
    links: Iterable[Group],
    source: ContentSource,
    monitor: Monitor,
    expected: int | None = None,
    *,
    processes: int = 1,
) -> Materialised:
    """Write `tree` into an empty directory; `expected` is its number of entries."""
    with Root(directory) as root, Filler(root, source) as filler:
        progress = SharedProgress(monitor, expected, PHASE)
        work = _TreeWalk(filler, links, source)
        ahead = work.walk(tree)
        problems: list[Problem] = []
        while batch := list(islice(ahead, _BATCH)):
            problems += fill(root, batch, source, progress, processes)
        work.finish()
        found = sorted(problems + filler.problems)
        return Materialised(tuple(found), not work.spoils_overlays)


class _TreeWalk:
    """The traversal of one tree."""

    def __init__(self, filler: Filler, links: Iterable[Group], source: ContentSource) -> None:
        self._filler = filler
        self._get = source.get
        self._leaders = {path: group[0] for group in links for path in group[1:]}
        self._directories: list[tuple[bytes, Entry]] = []
        self._linked: list[PendingEntry] = []
        self._forbidding: list[PendingEntry] = []
        self.spoils_overlays = False

    def walk(self, tree: ObjectId) -> Iterator[PendingEntry]:
        """Create the directories, and yield all other entries except further hard links."""
        waiting = [(b"", read_root(tree, self._get))]
        while waiting:
            path, own = waiting.pop()
            if path:
                self._filler.make_directory(path)
            self._directories.append((path, own))
            self._check_overlay(path, own)
            for entry in read_directory(own.content, self._get):
                if entry.is_directory:
                    waiting.append((paths.join(path, entry.name), entry))
                elif entry.is_covered:
                    yield from self._classify(PendingEntry(path, entry))

    def finish(self) -> None:
        """Create hard links, then set forbidding flags and directory metadata."""
        for wanted in self._linked:
            self._filler.link(self._leaders[wanted.path], wanted)
        for wanted in self._forbidding:
            self._filler.set_blocking_flags(wanted)
        for path, entry in reversed(self._directories):
            self._filler.finish_directory(path, entry)

    def _classify(self, wanted: PendingEntry) -> Iterator[PendingEntry]:
        if self._leaders and wanted.path in self._leaders:
            self._linked.append(wanted)
            return
        if blocks_changes(wanted.entry):
            self._forbidding.append(wanted)
        self._check_overlay(b"", wanted.entry)
        yield wanted

    def _check_overlay(self, directory: bytes, entry: Entry) -> None:
        if not self.spoils_overlays and breaks_in_overlay(directory, entry, self._names):
            self.spoils_overlays = True

    def _names(self, xattrs: ObjectId) -> Iterable[bytes]:
        return decode_xattrs(self._get(xattrs))
