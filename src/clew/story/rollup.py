"""Roll-up: describes many changed paths in few lines, as precisely as possible.

A line about a directory loses information: which of its files changed, and how.
The loss is measured in bits: none for a directory that is new or deleted as a whole, little for
"9 changed of 14", much for "3 changed of 20,000".  Each line has a cost as well.
The set of lines with the lowest total cost is what a person would write; the cost of a line is
raised until there are few enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import lgamma, log, log2

from clew.detectors.detector import PathChange
from clew.model.named_tuple import NamedTuple

_MAX_LINES = 8
_ROUNDS = 24


class PathGroup(NamedTuple):
    """Changed paths that one line describes."""

    directory: str
    """The directory that contains them, or the path itself if there is only one."""
    paths: tuple[str, ...]
    added: int
    changed: int
    deleted: int
    whole: str
    """`new` or `gone` for a directory added or deleted as a whole, else empty."""
    total: int
    """Number of files in the directory; 0 if not counted."""
    is_single: bool
    """Whether it is one path, and `directory` is that."""


Count = Callable[[str], int]
"""Returns the number of files under a directory, old and new together, or an estimate."""


def roll_up(changes: Sequence[PathChange], count: Count, most: int = _MAX_LINES) -> list[PathGroup]:
    """Return about `most` groups at most that contain each of `changes` exactly once."""
    if not changes:
        return []
    nodes = _nodes(changes, count)
    low, high = 0.0, 1.0
    best = _choose(nodes, low)
    if len(best) <= most:
        return best
    while len(best := _choose(nodes, high)) > most and high < 1 << 20:
        low, high = high, high * 2
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        found = _choose(nodes, middle)
        if len(found) <= most:
            best, high = found, middle
        else:
            low = middle
    return best


class _Node:
    """A directory above changed paths."""

    __slots__ = ("bits", "children", "group", "loose", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.children: list[_Node] = []
        self.loose: list[PathGroup] = []
        self.bits = 0.0
        self.group: PathGroup | None = None


def _nodes(changes: Sequence[PathChange], count: Count) -> list[_Node]:
    """Return the directories above the changes, children before their parents."""
    by_path: dict[str, _Node] = {"": _Node("")}
    whole: dict[str, str] = {}
    for change in changes:
        if change.is_directory and change.path:
            _node(by_path, change.path)
            if change.is_added or change.is_deleted:
                whole[change.path] = "new" if change.is_added else "gone"
                continue
        parent = change.path.rpartition("/")[0]
        _node(by_path, parent).loose.append(_single(change))
    order = sorted(by_path, key=lambda path: path.count("/") + bool(path), reverse=True)
    directories = {change.path for change in changes if change.path in whole}
    for path in order:
        node = by_path[path]
        if path:
            by_path[path.rpartition("/")[0]].children.append(node)
        _measure(node, path in directories, whole.get(path, ""), count)
    return [by_path[path] for path in order]


def _node(by_path: dict[str, _Node], path: str) -> _Node:
    start = path
    while path not in by_path:
        by_path[path] = _Node(path)
        path = path.rpartition("/")[0]
    return by_path[start]


def _single(change: PathChange) -> PathGroup:
    added, deleted = change.is_added, change.is_deleted
    return PathGroup(
        change.path, (change.path,), int(added), int(not added and not deleted), int(deleted),
        "", 0, is_single=True,
    )  # fmt: skip


def _measure(node: _Node, is_changed: bool, whole: str, count: Count) -> None:
    parts = [*node.loose, *(child.group for child in node.children if child.group)]
    own = (node.path,) if is_changed else ()
    paths = own + tuple(path for part in parts for path in part.paths)
    added = sum(part.added for part in parts)
    changed = sum(part.changed for part in parts)
    deleted = sum(part.deleted for part in parts)
    if whole and added * deleted + changed:  # not purely added or deleted
        whole = ""
    number = added + changed + deleted
    if not parts and own:  # an added or deleted empty directory
        node.group = PathGroup(
            node.path, own, int(whole == "new"), 0, int(whole == "gone"), whole, 0, is_single=True
        )
        return
    total = 0 if whole else max(count(node.path), number)
    node.bits = 0.0 if whole else _bits(total, (added, changed, deleted))
    node.group = PathGroup(node.path, paths, added, changed, deleted, whole, total, is_single=False)


def _choose(nodes: list[_Node], price: float) -> list[PathGroup]:
    """Return the cheapest description when every line costs `price` bits."""
    costs: dict[str, float] = {}
    chosen: dict[str, list[PathGroup]] = {}
    for node in nodes:
        group = node.group
        if group is None:
            costs[node.path], chosen[node.path] = 0.0, []
            continue
        apart = price * len(node.loose)
        lines = list(node.loose)
        for child in node.children:
            apart += costs[child.path]
            lines += chosen[child.path]
        whole = node.bits + price
        # One line for a directory added or deleted as a whole; never a directory for its only path.
        if group.whole or (whole < apart and len(lines) > 1):
            costs[node.path], chosen[node.path] = whole, [group]
        else:
            own = [path for path in group.paths if path == node.path]
            if own and lines:
                lines[0] = lines[0]._replace(paths=(*own, *lines[0].paths))
            costs[node.path], chosen[node.path] = apart, lines
    return sorted(chosen[""])


def _bits(total: int, counts: tuple[int, int, int]) -> float:
    """Return the information lost, in bits: which of `total` files changed, and how."""
    number = sum(counts)
    which = (lgamma(total + 1) - lgamma(number + 1) - lgamma(total - number + 1)) / log(2)
    how = -sum(part * log2(part / number) for part in counts if part)
    return which + how
