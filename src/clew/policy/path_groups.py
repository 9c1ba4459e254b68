"""Changed paths as a tree of directories, so that one question can stand for all paths below one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.restore_results import PlannedPath

_FEW = 4
"""With more changed paths than this below it, a directory is one question."""


class PathGroup:
    """A changed path, or a directory with changed paths below it."""

    __slots__ = ("below", "path", "planned", "verb")

    def __init__(self, path: bytes) -> None:
        self.path = path
        self.planned: PlannedPath | None = None
        """Its own change, if it has one."""
        self.verb = ""
        """What would be done to it: one of the keys given to `grouped`."""
        self.below: dict[bytes, PathGroup] = {}

    def leaves(self) -> Iterator[PathGroup]:
        """Yield the changed paths that have none below them, itself included."""
        waiting = [self]
        while waiting:
            one = waiting.pop()
            if one.below:
                waiting.extend(one.below[name] for name in sorted(one.below, reverse=True))
            else:
                yield one


def grouped(planned: Mapping[str, Sequence[PlannedPath]]) -> PathGroup:
    """Return the root of the tree of these paths, given by what would be done to them."""
    root = PathGroup(b"")
    for verb, several in planned.items():
        for one in several:
            group = root
            for name in one.path.split(b"/") if one.path else ():
                path = group.path + b"/" + name if group.path else name
                group = group.below.setdefault(name, PathGroup(path))
            group.planned, group.verb = one, verb
    return root


def has_many(group: PathGroup) -> bool:
    """Return whether the paths below a directory are so many that they are one question."""
    return bool(group.below) and sum(1 for _ in group.leaves()) > _FEW


def chosen_paths(root: PathGroup, accepted: set[bytes]) -> list[bytes]:
    """Return the fewest paths that stand for exactly the accepted leaves.

    A directory stands for what is below it if all of that was accepted; the root never does, because
    a restore of everything brings conversation and tasks too.
    """
    found: list[bytes] = []
    waiting = [(root, False)]
    whole: dict[int, bool] = {}
    while waiting:  # children first, without recursion: paths may be deep
        group, is_done = waiting.pop()
        if not group.below:
            whole[id(group)] = group.path in accepted
        elif not is_done:
            waiting.append((group, True))
            waiting.extend((one, False) for one in group.below.values())
        else:
            whole[id(group)] = all(whole[id(one)] for one in group.below.values())
    pending = [*root.below.values()] if root.below else [root]
    while pending:
        group = pending.pop()
        if whole[id(group)]:
            found.append(group.path)
        else:
            pending.extend(group.below.values())
    return sorted(found)
