"""Materialising: a whole tree of the store becomes files in an empty directory.

    walk      directories are made on the way down, open to us alone
    fill      what is in them, by several processes, in the order of the packs
    link      names that are one inode
    finish    flags that forbid changes, then the directories, deepest first

What is not covered is not made.
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
    Trouble,
    fill,
    is_forbidding,
)
from clew.worktree.overlays import spoils_an_overlay
from clew.worktree.progress import SharedProgress
from clew.worktree.root import Root

PHASE = "write"

_ROUND = 200_000
"""Names held in memory at a time."""


class Materialised(NamedTuple):
    """What came of it."""

    troubles: tuple[Trouble, ...]
    """What could not be given back."""
    may_be_layered: bool
    """An overlay over it shows exactly what is there."""


def materialise(
    directory: bytes,
    tree: ObjectId,
    links: Iterable[Group],
    source: ContentSource,
    monitor: Monitor,
    expected: int | None = None,
) -> Materialised:
    """Fill an empty directory with what `tree` holds; `expected` is how many names that is."""
    with Root(directory) as root, Filler(root, source) as filler:
        progress = SharedProgress(monitor, expected, PHASE)
        work = _TreeWalk(filler, links, source)
        ahead = work.walk(tree)
        troubles: list[Trouble] = []
        while batch := list(islice(ahead, _ROUND)):
            troubles += fill(root, batch, source, progress)
        work.finish()
        found = sorted(troubles + filler.troubles)
        return Materialised(tuple(found), not work.spoils_overlays)


class _TreeWalk:
    """The way through one tree."""

    def __init__(self, filler: Filler, links: Iterable[Group], source: ContentSource) -> None:
        self._filler = filler
        self._get = source.get
        self._leaders = {path: group[0] for group in links for path in group[1:]}
        self._directories: list[tuple[bytes, Entry]] = []
        self._linked: list[PendingEntry] = []
        self._forbidding: list[PendingEntry] = []
        self.spoils_overlays = False

    def walk(self, tree: ObjectId) -> Iterator[PendingEntry]:
        """Make the directories, and yield everything else but second names."""
        waiting = [(b"", read_root(tree, self._get))]
        while waiting:
            path, own = waiting.pop()
            if path:
                self._filler.make_directory(path)
            self._directories.append((path, own))
            self._look_at(path, own)
            for entry in read_directory(own.content, self._get):
                if entry.is_directory:
                    waiting.append((paths.join(path, entry.name), entry))
                elif entry.is_covered:
                    yield from self._sort_in(PendingEntry(path, entry))

    def finish(self) -> None:
        """Do what must wait until everything is there."""
        for wanted in self._linked:
            self._filler.link(self._leaders[wanted.path], wanted)
        for wanted in self._forbidding:
            self._filler.forbid(wanted)
        for path, entry in reversed(self._directories):
            self._filler.finish_directory(path, entry)

    def _sort_in(self, wanted: PendingEntry) -> Iterator[PendingEntry]:
        if self._leaders and wanted.path in self._leaders:
            self._linked.append(wanted)
            return
        if is_forbidding(wanted.entry):
            self._forbidding.append(wanted)
        self._look_at(b"", wanted.entry)
        yield wanted

    def _look_at(self, directory: bytes, entry: Entry) -> None:
        if not self.spoils_overlays and spoils_an_overlay(directory, entry, self._names):
            self.spoils_overlays = True

    def _names(self, xattrs: ObjectId) -> Iterable[bytes]:
        return decode_xattrs(self._get(xattrs))
