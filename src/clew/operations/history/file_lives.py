"""File lives: which checkpoints of a timeline hold each content of each file.

One tree is walked, and each following tree is compared with the one before, which skips what is equal.
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.diff.trees import diff_trees, walk
from clew.model.change import Change
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry
from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.model.tree import Get
from clew.operations.history.grep_scope import GrepScope

Range = tuple[int, int]
"""The number of the first checkpoint that holds something, and that of the first one after it that
does not."""


class FileContent(NamedTuple):
    """A file with one content."""

    path: bytes
    content: ObjectId
    size: int


def file_lives(
    oldest_first: Sequence[Checkpoint], get: Get, scope: GrepScope
) -> dict[FileContent, list[Range]]:
    """Return every content of every file in the scope, with the checkpoints that hold it."""
    lives: dict[FileContent, list[Range]] = {}
    current: dict[bytes, tuple[FileContent, int]] = {}

    def end(path: bytes, number: int) -> None:
        ended = current.pop(path, None)
        if ended is not None:
            lives.setdefault(ended[0], []).append((ended[1], number))

    before: ObjectId | None = None
    for number, checkpoint in enumerate(oldest_first):
        tree = checkpoint.record.tree
        for change in _changes(before, tree, get, scope):
            end(change.path, number)
            file = _file(change.path, change.new)
            if file is not None and scope.holds(change.path):
                current[change.path] = (file, number)
        before = tree
    for path in list(current):
        end(path, len(oldest_first))
    return lives


def _changes(before: ObjectId | None, after: ObjectId, get: Get, scope: GrepScope) -> list[Change]:
    def skips(path: bytes) -> bool:
        return scope.skips(after, path)

    if before is None:
        found = walk(after, get, skips=skips)
        return [Change(path, "", None, entry) for path, entry in found]
    changes = diff_trees(before, after, get, mtimes=False, skips=skips)
    return [one for one in changes if not _is_same_content(one)]


def _is_same_content(change: Change) -> bool:
    old, new = _file(change.path, change.old), _file(change.path, change.new)
    return old == new


def _file(path: bytes, entry: Entry | None) -> FileContent | None:
    if entry is None or not entry.is_file:
        return None
    return FileContent(path, ObjectId(entry.content), entry.size)
