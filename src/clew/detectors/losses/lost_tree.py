"""Lost files as a tree: which directories tell best what was lost.

A directory that was deleted as a whole, and of which nothing was kept, is told as one.
Otherwise the lost files are told by the directory in which they were; neighbouring directories
with lost files are told by the directory around them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clew.detectors.detector import Evidence, PathChange
from clew.detectors.losses.recoverable import DirectoryFate
from clew.model.named_tuple import NamedTuple

Lost = tuple[PathChange, str]
"""A lost file and its kind of data."""

_MIXED = 4
"""So many neighbouring directories, deleted as a whole or not, are told together."""


class LostGroup(NamedTuple):
    """Lost files that are told together."""

    directory: str
    is_whole: bool
    """Whether the directory was deleted, and nothing of it was kept."""
    lost: tuple[Lost, ...]
    total: int
    """Number of deleted files in the directory, whatever became of them."""
    size: int
    """Bytes of all deleted files if the directory is gone as a whole, else of the lost ones."""
    claims: tuple[PathChange, ...]
    """Deleted files that the group explains."""


class _Node:
    """A directory around deleted files, with the sums of everything below it."""

    __slots__ = ("children", "copies", "fate", "git", "is_gone", "lost", "path", "size", "total")

    def __init__(self, path: str) -> None:
        self.path = path
        self.fate: DirectoryFate | None = None
        self.children: list[_Node] = []
        self.is_gone = False
        self.lost = self.git = self.copies = self.total = self.size = 0


def lost_groups(evidence: Evidence, found: Mapping[str, DirectoryFate]) -> list[LostGroup]:
    """Return every lost file in exactly one group."""
    groups: list[LostGroup] = []
    waiting = [_tree(evidence, found)]
    while waiting:
        node = waiting.pop()
        if not node.lost:
            continue
        if node.is_gone and not node.copies and node.lost >= node.git:
            groups.append(_whole(node))
            continue
        if node.fate is not None and node.fate.lost:
            groups.append(_loose(node.fate))
        waiting += node.children
    return _merged(groups)


def _tree(evidence: Evidence, found: Mapping[str, DirectoryFate]) -> _Node:
    nodes = {"": _Node("")}
    for path, fate in found.items():
        above, start = path, path
        while above not in nodes:
            nodes[above] = _Node(above)
            above = above.rpartition("/")[0]
        nodes[start].fate = fate
    order = sorted(nodes, key=lambda path: path.count("/") + bool(path), reverse=True)
    for path in order:
        node = nodes[path]
        _add_own(node)
        if path:
            _add_child(nodes[path.rpartition("/")[0]], node)
    for path in reversed(order):
        node = nodes[path]
        for child in node.children:
            child.is_gone = node.is_gone or evidence.new.entry(child.path) is None
    return nodes[""]


def _add_own(node: _Node) -> None:
    fate = node.fate
    if fate is not None:
        node.lost += len(fate.lost)
        node.git += len(fate.git)
        node.copies += fate.copies
        node.total += fate.total
        node.size += fate.size


def _add_child(node: _Node, child: _Node) -> None:
    node.children.append(child)
    node.lost += child.lost
    node.git += child.git
    node.copies += child.copies
    node.total += child.total
    node.size += child.size


def _whole(node: _Node) -> LostGroup:
    fates = list(_below(node))
    return LostGroup(
        node.path, True, tuple(one for fate in fates for one in fate.lost), node.total, node.size,
        tuple(change for fate in fates for change in fate.files),
    )  # fmt: skip


def _below(node: _Node) -> Iterator[DirectoryFate]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.fate is not None:
            yield one.fate
        waiting += reversed(one.children)


def _loose(fate: DirectoryFate) -> LostGroup:
    return LostGroup(
        fate.path, False, tuple(fate.lost), fate.total, size_of(fate.lost),
        tuple(change for change, _ in fate.lost),
    )  # fmt: skip


def size_of(lost: list[Lost] | tuple[Lost, ...]) -> int:
    """Return the number of bytes of lost files."""
    return sum(change.old.size for change, _ in lost if change.old is not None)


def _merged(groups: list[LostGroup]) -> list[LostGroup]:
    """Return the groups, neighbouring ones as one of the directory around them."""
    known = {group.directory: group for group in groups}
    levels: dict[int, dict[str, list[str]]] = {}
    for directory in known:
        _note_level(levels, directory)
    for level in range(max(levels, default=0), 0, -1):
        for parent, directories in levels.get(level, {}).items():
            parts = [known[directory] for directory in directories]
            loose = sum(not group.is_whole for group in parts)
            if parent and len(parts) > 1 and (loose == len(parts) or len(parts) >= _MIXED):
                for directory in directories:
                    del known[directory]
                own = known.get(parent)
                if own is None:
                    _note_level(levels, parent)
                known[parent] = _together(parent, [own, *parts] if own else parts)
    return list(known.values())


def _note_level(levels: dict[int, dict[str, list[str]]], directory: str) -> None:
    """Record a directory among its neighbours."""
    parent = directory.rpartition("/")[0]
    levels.setdefault(directory.count("/"), {}).setdefault(parent, []).append(directory)


def _together(directory: str, parts: list[LostGroup]) -> LostGroup:
    lost = tuple(one for group in parts for one in group.lost)
    claims = tuple(change for group in parts for change in group.claims)
    total = sum(group.total for group in parts)
    return LostGroup(directory, False, lost, total, size_of(lost), claims)
