"""Tree diff: the paths that differ between two trees, and path lookup; see docs/format.md, 3.3.

Both sides are sorted by the same rule and walked in parallel.
Equal parts are not read: a directory with the same tree id, one with the same state id if mtimes
are ignored, and any leaf of a wide directory that both sides share.

Paths are in depth-first order, names sorted as bytes: `a`, `a/b`, `a.txt`.

Nothing here recurses, and only one path is held at a time, so a tree may be deeper than the
interpreter's stack.

**Uncovered entries are not evidence.**
An uncovered entry means that the content is unknown, so the pair of an uncovered entry and anything
else, including a missing name, is not a change, and neither is anything below it.
A restore must leave such paths alone; ``uncovered=True`` reports them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator

from clew.model.change import Change, ChangeCounts, ChangeKind
from clew.model.entry import Entry, EntryKind
from clew.model.ids import ObjectId
from clew.model.path import ROOT, join, parent_of
from clew.model.tree import (
    Get,
    decode_branch,
    decode_leaf,
    read_directory,
    read_leaf,
    read_root,
)

_Pair = tuple[Entry | None, Entry | None]
"""The old and the new entry of one name; at least one is not None."""

_END: _Pair = (None, None)

_BRANCH = b"\x01"


def diff_trees(
    old_root: ObjectId,
    new_root: ObjectId,
    get: Get,
    *,
    mtimes: bool,
    uncovered: bool = False,
    skips: Callable[[bytes], bool] | None = None,
) -> Iterator[Change]:
    """Yield the changes from tree `old_root` to `new_root`, in depth-first order.

    Below an added or deleted directory every entry is listed as added or deleted.
    A directory itself has metadata changes only; the root has the empty path.

    `mtimes`: whether a different mtime alone is a change (for a restore) or not (for people).
    `uncovered`: also yield, as changes of type, the paths where exactly one side is uncovered; the
    other may be absent.  Entries below them are never listed.
    `skips`: the directories below which nothing is listed.
    """
    if old_root == new_root:
        return
    comparison = _Comparison(mtimes=mtimes, uncovered=uncovered)
    roots: _Pair = (read_root(old_root, get), read_root(new_root, get))
    directory = ROOT
    waiting: list[Iterator[_Pair]] = [iter([roots])]
    while waiting:
        old, new = next(waiting[-1], _END)
        either = new or old
        if either is None:
            waiting.pop()
            directory = parent_of(directory)
            continue
        kind = comparison.kind(old, new)
        below = comparison.below(old, new)
        if kind is None and below is None:
            continue
        path = join(directory, either.name)
        if kind is not None:
            yield Change(path, kind, old, new)
        if below is not None and not (skips is not None and skips(path)):
            directory = path
            waiting.append(_pairs(*below, get))


def count(changes: Iterable[Change]) -> ChangeCounts:
    """Return the number of changes of each kind; a change of type counts as modified."""
    found = dict.fromkeys(ChangeKind.ALL, 0)
    for change in changes:
        found[change.kind] += 1
    return ChangeCounts(
        added=found[ChangeKind.ADDED],
        modified=found[ChangeKind.MODIFIED] + found[ChangeKind.TYPE],
        deleted=found[ChangeKind.DELETED],
        renamed=found[ChangeKind.RENAMED],
        metadata=found[ChangeKind.METADATA],
    )


def lookup(root: ObjectId, path: bytes, get: Get) -> Entry | None:
    """Return the entry at `path` in the tree `root`; the empty path is the root's own entry.

    None if there is none, also below an uncovered entry, where the content is unknown.
    """
    entry: Entry | None = read_root(root, get)
    for name in path.split(b"/") if path else ():
        if entry is None or not entry.is_directory:
            return None
        entry = _find(entry.content, name, get)
    return entry


def walk(
    root: ObjectId,
    get: Get,
    path: bytes = b"",
    *,
    skips: Callable[[bytes], bool] | None = None,
) -> Iterator[tuple[bytes, Entry]]:
    """Yield `path` and everything below it, each with its entry; nothing if it does not exist.

    `skips`: the directories below which nothing is listed.
    """
    start = lookup(root, path, get)
    if start is None:
        return
    yield path, start
    if not start.is_directory:
        return
    directory = path
    waiting = [read_directory(start.content, get)]
    while waiting:
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
            directory = parent_of(directory)
            continue
        path = join(directory, entry.name)
        yield path, entry
        if entry.is_directory and not (skips is not None and skips(path)):
            directory = path
            waiting.append(read_directory(entry.content, get))


class _Comparison:
    """The rules of what is a change, and which subtrees to compare."""

    def __init__(self, *, mtimes: bool, uncovered: bool) -> None:
        self._mtimes = mtimes
        self._uncovered = uncovered
        # State ids ignore excluded paths, so they cannot prune if uncovered entries are requested.
        self._by_state = not mtimes and not uncovered

    def kind(self, old: Entry | None, new: Entry | None) -> str | None:
        """Return the kind of change between the two, or None if they are equal."""
        if not _is_evidence(old) or not _is_evidence(new):
            is_one_known = _is_evidence(old) or _is_evidence(new)
            return ChangeKind.TYPE if self._uncovered and is_one_known else None
        if old is None:
            return ChangeKind.ADDED
        if new is None:
            return ChangeKind.DELETED
        if old.kind != new.kind:
            return ChangeKind.TYPE
        if not old.same_content(new):
            return ChangeKind.MODIFIED
        if not old.same_metadata(new, mtimes=self._mtimes):
            return ChangeKind.METADATA
        return None

    def below(
        self, old: Entry | None, new: Entry | None
    ) -> tuple[ObjectId | None, ObjectId | None] | None:
        """Return the two directories to descend into (None for a non-directory), or None."""
        if not _is_evidence(old) or not _is_evidence(new):
            return None
        before = old.content if old is not None and old.is_directory else None
        after = new.content if new is not None and new.is_directory else None
        if before == after:
            return None
        if self._by_state and before and after and old and new and old.state == new.state:
            return None
        return before, after


def _is_evidence(entry: Entry | None) -> bool:
    return entry is None or entry.kind != EntryKind.UNCOVERED


def _pairs(old: ObjectId | None, new: ObjectId | None, get: Get) -> Iterator[_Pair]:
    """Yield the entries of two directories in parallel, without the leaves that both share."""
    before, after = _differing_entries(old, new, get)
    mine, theirs = next(before, None), next(after, None)
    while mine is not None or theirs is not None:
        if theirs is None or (mine is not None and mine.name < theirs.name):
            yield mine, None
            mine = next(before, None)
        elif mine is None or theirs.name < mine.name:
            yield None, theirs
            theirs = next(after, None)
        else:
            yield mine, theirs
            mine, theirs = next(before, None), next(after, None)


def _differing_entries(
    old: ObjectId | None, new: ObjectId | None, get: Get
) -> tuple[Iterator[Entry], Iterator[Entry]]:
    before = get(old) if old is not None else b"\x00"
    after = get(new) if new is not None else b"\x00"
    # Names are unique in a directory, so a shared leaf has no names in common with other leaves.
    shared = _leaf_ids(before) & _leaf_ids(after)
    return _entries(before, shared, get), _entries(after, shared, get)


def _leaf_ids(content: bytes) -> set[ObjectId]:
    return {line.tree for line in decode_branch(content)} if content[:1] == _BRANCH else set()


def _entries(content: bytes, skipped: set[ObjectId], get: Get) -> Iterator[Entry]:
    if content[:1] != _BRANCH:
        yield from decode_leaf(content)
        return
    last = b""
    for line in decode_branch(content):
        if line.tree not in skipped:
            yield from read_leaf(line, last, get)
        last = line.last_name


def _find(tree: ObjectId, name: bytes, get: Get) -> Entry | None:
    content = get(tree)
    if content[:1] == _BRANCH:
        lines = decode_branch(content)
        at = bisect_left(lines, name, key=lambda line: line.last_name)
        if at == len(lines):
            return None
        entries = read_leaf(lines[at], lines[at - 1].last_name if at else b"", get)
    else:
        entries = decode_leaf(content)
    return next((entry for entry in entries if entry.name == name), None)
