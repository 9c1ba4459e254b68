"""Copy repair: turns a directory that once held a tree into exactly a given tree.

Only for copies that clew owns: whatever differs is deleted and recreated without a rescue.  A
workspace is never treated this way; see `switch.py`.
"""

from __future__ import annotations

from clew.model import path as paths
from clew.model.entry import Entry
from clew.model.named_tuple import NamedTuple
from clew.model.small_objects import Group
from clew.monitor import Monitor
from clew.worktree.fill_directories import (
    ContentSource,
    Filler,
    PendingEntry,
    Problem,
    blocks_changes,
    fill,
)
from clew.worktree.materialize import PHASE
from clew.worktree.progress import SharedProgress
from clew.worktree.remove_tree import remove_tree, unlock_directory
from clew.worktree.root import Root


class Mending(NamedTuple):
    """The steps of a repair."""

    remove: tuple[bytes, ...]
    """Paths to delete, with everything below."""
    make_directories: tuple[bytes, ...]
    """Parents first."""
    make: tuple[tuple[bytes, Entry], ...]
    """All other missing entries."""
    groups: tuple[Group, ...]
    """Hard links among the paths in `make`: names of one inode."""
    finish: tuple[tuple[bytes, Entry], ...]
    """Directories with changed entries or wrong metadata, deepest first."""


def mend(
    directory: bytes,
    mending: Mending,
    source: ContentSource,
    monitor: Monitor,
    *,
    processes: int = 1,
) -> list[Problem]:
    """Carry out a repair and return what could not be restored."""
    with Root(directory) as root, Filler(root, source) as filler:
        new = set(mending.make_directories)
        for path, _ in reversed(mending.finish):
            if path not in new:
                unlock_directory(root, path)
        for path in mending.remove:
            remove_tree(directory, path)
        for path in mending.make_directories:
            filler.make_directory(path)
        leaders = {path: group[0] for group in mending.groups for path in group[1:]}
        wanted = [PendingEntry(paths.parent_of(path), entry) for path, entry in mending.make]
        first = [one for one in wanted if one.path not in leaders]
        progress = SharedProgress(monitor, len(first), PHASE)
        problems = fill(root, first, source, progress, processes)
        for one in wanted:
            if one.path in leaders:
                filler.link(leaders[one.path], one)
        for one in first:
            if blocks_changes(one.entry):
                filler.set_blocking_flags(one)
        for path, entry in mending.finish:
            filler.finish_directory(path, entry)
        return sorted(problems + filler.problems)
