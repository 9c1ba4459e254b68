"""Hard links in a merge.

Two names are linked in the result if both sides link them, or if one side linked them since the
base.  Names that are no longer identical, because a side edited one of them, are separated again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from clew.model.entry import Entry
from clew.model.small_objects import Group

EntryAt = Callable[[bytes], Entry | None]


def merge_links(
    base: Sequence[Group],
    ours: Sequence[Group],
    theirs: Sequence[Group],
    entry_at: EntryAt,
    is_touched: Callable[[bytes], bool],
) -> list[Group]:
    """Return the sorted groups of the result, whose entries `entry_at` returns.

    A group of ours without a touched name is taken unchecked.
    """
    known = set(ours)
    found: list[Group] = []
    for group in _join_groups(base, ours, theirs):
        if group in known and not any(map(is_touched, group)):
            found.append(group)
        else:
            found.extend(_split_groups(group, entry_at))
    return sorted(found)


def _join_groups(
    base: Sequence[Group], ours: Sequence[Group], theirs: Sequence[Group]
) -> Iterable[Group]:
    if set(theirs) == set(base):
        return ours
    if set(ours) == set(base):
        return theirs
    union = _Union()
    was, mine, other = _numbers(base), _numbers(ours), _numbers(theirs)
    for groups in (ours, theirs):
        for group in groups:
            # This side linked names that are separate in the base: join all of them.
            if len({was.get(path, path) for path in group}) > 1:
                union.join(group)
    shared: dict[Hashable, list[bytes]] = {}
    for path in mine.keys() & other.keys():
        shared.setdefault((mine[path], other[path]), []).append(path)
    for names in shared.values():
        union.join(names)
    return union.groups()


def _numbers(groups: Sequence[Group]) -> dict[bytes, int]:
    return {path: number for number, group in enumerate(groups) for path in group}


def _split_groups(group: Group, entry_at: EntryAt) -> list[Group]:
    """Return the groups of two or more names that can be one inode."""
    alike: dict[Hashable, list[bytes]] = {}
    for path in group:
        entry = entry_at(path)
        if entry is not None and entry.is_covered and not entry.is_directory:
            alike.setdefault(entry._replace(name=b"", mtime_ns=0), []).append(path)
    return [tuple(sorted(names)) for names in alike.values() if len(names) > 1]


class _Union:
    """Union-find over names."""

    def __init__(self) -> None:
        self._parent: dict[bytes, bytes] = {}

    def join(self, names: Sequence[bytes]) -> None:
        first = self._find_root(names[0])
        for name in names[1:]:
            self._parent[self._find_root(name)] = first

    def groups(self) -> list[Group]:
        found: dict[bytes, list[bytes]] = {}
        for name in list(self._parent):
            found.setdefault(self._find_root(name), []).append(name)
        return [tuple(sorted(names)) for names in found.values() if len(names) > 1]

    def _find_root(self, name: bytes) -> bytes:
        top = name
        while (above := self._parent.setdefault(top, top)) != top:
            top = above
        self._parent[name] = top
        return top
