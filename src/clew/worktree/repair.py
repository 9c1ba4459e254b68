"""Mending: a directory that was once a certain tree becomes exactly a tree again.

For copies that are ours alone: what is wrong is removed and made anew, with no regard for whoever
wrote it.  A workspace is never treated so; see `switch.py`.
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
    Trouble,
    fill,
    is_forbidding,
)
from clew.worktree.materialize import PHASE
from clew.worktree.progress import SharedProgress
from clew.worktree.remove_tree import open_up, remove_tree
from clew.worktree.root import Root


class Mending(NamedTuple):
    """What is to be done."""

    remove: tuple[bytes, ...]
    """Whatever is there, with all below it."""
    make_directories: tuple[bytes, ...]
    """Parents first."""
    make: tuple[tuple[bytes, Entry], ...]
    """Everything else that is to be there and is not."""
    groups: tuple[Group, ...]
    """Of the paths in `make`: those that must be one inode."""
    finish: tuple[tuple[bytes, Entry], ...]
    """Directories in which something happens, or whose metadata is wrong; deepest first."""


def mend(
    directory: bytes, mending: Mending, source: ContentSource, monitor: Monitor
) -> list[Trouble]:
    """Carry out a mending, and return what could not be given back."""
    with Root(directory) as root, Filler(root, source) as filler:
        new = set(mending.make_directories)
        for path, _ in reversed(mending.finish):
            if path not in new:
                open_up(root, path)
        for path in mending.remove:
            remove_tree(directory, path)
        for path in mending.make_directories:
            filler.make_directory(path)
        leaders = {path: group[0] for group in mending.groups for path in group[1:]}
        wanted = [PendingEntry(paths.parent_of(path), entry) for path, entry in mending.make]
        first = [one for one in wanted if one.path not in leaders]
        progress = SharedProgress(monitor, len(first), PHASE)
        troubles = fill(root, first, source, progress)
        for one in wanted:
            if one.path in leaders:
                filler.link(leaders[one.path], one)
        for one in first:
            if is_forbidding(one.entry):
                filler.forbid(one)
        for path, entry in mending.finish:
            filler.finish_directory(path, entry)
        return sorted(troubles + filler.troubles)
