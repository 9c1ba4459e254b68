"""Shorthand for trees to merge, and the result of a merge as plain paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from clew.diff.merge_trees import MergeOptions, MergeResult, MergeSide, Sides, merge_trees
from clew.diff.trees import walk
from clew.model.entry import NO_ID, NO_STATE, Entry
from clew.model.ids import ObjectId
from clew.model.small_objects import Group
from clew.model.tree_edit import edited
from tests.diff.forest import Directory, Flat, Forest, Node, file

NOW = 77
"""The time of every merge here."""

_KNOWN: dict[ObjectId, bytes] = {}


def holding(content: bytes, **metadata: int) -> Entry:
    """Return a file whose content a merge can read."""
    entry = file(content, **metadata)
    _KNOWN[entry.content] = content
    return entry


def lines(*words: str, **metadata: int) -> Entry:
    return holding("".join(word + "\n" for word in words).encode(), **metadata)


class Known:
    """Reads every file that a test created."""

    def whole(self, path: bytes, entry: Entry) -> bytes | None:
        content = _KNOWN[entry.content]
        return content if len(content) < 10_000 else None

    def start(self, path: bytes, entry: Entry) -> bytes:
        return _KNOWN[entry.content][:100]


class Came(NamedTuple):
    """The result of a merge."""

    result: MergeResult
    tree: Flat
    """Every path of the result; directories without their entries."""

    @property
    def conflicts(self) -> list[tuple[bytes, str]]:
        return [(conflict.path, conflict.reason) for conflict in self.result.conflicts]

    def read(self, path: bytes) -> bytes:
        """Return the content of a file in the result, including a merged one."""
        content = self.tree[path].content
        return self.result.texts.get(content) or _KNOWN[content]


def merge(
    base: Mapping[bytes, Node] | Directory,
    ours: Mapping[bytes, Node] | Directory,
    theirs: Mapping[bytes, Node] | Directory,
    *,
    links: Sequence[Sequence[Group]] = ((), (), ()),
    within: Sequence[bytes] = (),
    favour: str | None = None,
    is_excluded: Callable[[bytes, bool], bool] = lambda path, is_directory: False,
) -> Came:
    """Merge, apply the edits, and return the resulting tree."""
    forest = Forest()
    planted = [
        forest.plant(one if isinstance(one, Directory) else Directory(one))
        for one in (base, ours, theirs)
    ]
    sides = Sides(
        *(
            MergeSide(tree, tuple(group), Known())
            for tree, group in zip(planted, links, strict=True)
        )
    )
    options = MergeOptions(tuple(within), favour, is_excluded, NOW)
    result = merge_trees(sides, forest.get, options)
    made = edited(planted[1], result.edits, forest.get, forest.put, mtime_ns=NOW)
    return Came(result, plain(walk(made.tree, forest.get)))


def plain(walked: object) -> Flat:
    """Return paths and entries in the form of `forest.flat`: no names, directories empty."""
    found: Flat = {}
    for path, entry in walked:  # type: ignore[attr-defined]
        bare = entry._replace(name=b"")
        if entry.is_directory:
            bare = bare._replace(content=NO_ID, state=NO_STATE)
        found[path] = bare
    return found


def timeless(tree: Flat) -> Flat:
    return {path: entry._replace(mtime_ns=0) for path, entry in tree.items()}
