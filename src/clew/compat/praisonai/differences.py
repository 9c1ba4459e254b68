"""Diffs in PraisonAI's form: added, modified and deleted files with their lines.

A rename is a deletion and an addition, because every path here is one that exists; directories are
omitted.  The diff of two checkpoints is immutable, so it is computed once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from clew.compat.praisonai.types import FileDiff, Status
from clew.diff.text import is_text, too_large, unified
from clew.model.change import Change, ChangeKind
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry, EntryKind
from clew.model.ids import CheckpointId, ObjectId
from clew.model.named_tuple import NamedTuple
from clew.model.results import Difference
from clew.operations.context import Context
from clew.policy.redaction.conceal import conceal
from clew.workspace import Workspace

_LIMIT = 4 << 20
"""Larger files are not diffed line by line."""


class FoundDifference(NamedTuple):
    """The files and the patch of a diff."""

    files: list[FileDiff]
    patch: str


class ChangedPath(NamedTuple):
    """Summary of what a checkpoint changed."""

    paths: tuple[str, ...] = ()
    insertions: int = 0
    deletions: int = 0


class Differences:
    """Computes diffs, and caches those between checkpoints."""

    def __init__(self) -> None:
        self._cache: dict[CheckpointId, ChangedPath] = {}

    def read(
        self, ws: Workspace, difference: Difference, wants: Callable[[str], bool] | None = None
    ) -> FoundDifference:
        """Return the files and the patch of a difference, of the wanted paths or of all."""
        files: list[FileDiff] = []
        patch: list[str] = []
        with ws.reading_context() as context:
            is_live = difference.new is None
            for change in difference.changes:
                for one in _split_to_files(change):
                    if wants is not None and not wants(os.fsdecode(one.path)):
                        continue
                    diff, lines = _read_one(context, one, is_live)
                    files.append(diff)
                    patch += lines
        return FoundDifference(files, "".join(line + "\n" for line in patch))

    def since_parent(self, ws: Workspace, checkpoint: Checkpoint) -> ChangedPath:
        """Return what changed since the nearest remaining ancestor."""
        known = self._cache.get(checkpoint.id)
        if known is None:
            known = self._cache[checkpoint.id] = self._changed(ws, checkpoint)
        return known

    def _changed(self, ws: Workspace, checkpoint: Checkpoint) -> ChangedPath:
        with ws.reading_context() as context:
            parent, _ = context.store.checkpoints.surviving(checkpoint.record.parent)
        if parent is None:
            return ChangedPath()
        files = self.read(ws, ws.diff(parent.hex(), checkpoint.id.hex())).files
        return ChangedPath(
            tuple(one.path for one in files),
            sum(one.additions for one in files),
            sum(one.deletions for one in files),
        )


def _split_to_files(change: Change) -> Iterator[Change]:
    """Split a change into changes of files without renames and changes of kind."""
    old, new = _file(change.old), _file(change.new)
    if old is not None and new is not None and change.old_path is None:
        yield change
        return
    if old is not None:
        path = change.old_path if change.old_path is not None else change.path
        yield Change(path, ChangeKind.DELETED, old, None)
    if new is not None:
        yield Change(change.path, ChangeKind.ADDED, None, new)


def _file(entry: Entry | None) -> Entry | None:
    return entry if entry is not None and not entry.is_directory else None


def _read_one(context: Context, change: Change, is_live: bool) -> tuple[FileDiff, list[str]]:
    before = _stored(context, change.old)
    after = _live(context, change) if is_live else _stored(context, change.new)
    lines = list(_lines(change, before, after))
    added, removed = _count_lines(lines)
    path = os.fsdecode(change.path)
    return FileDiff(
        path,
        os.path.join(os.fsdecode(context.root), path),
        _status(change),
        added,
        removed,
        _text(before),
        _text(after),
    ), lines


def _status(change: Change) -> str:
    if change.old is None:
        return Status.ADDED
    return Status.DELETED if change.new is None else Status.MODIFIED


def _lines(change: Change, before: bytes | None, after: bytes | None) -> Iterator[str]:
    largest = max(entry.size for entry in (change.old, change.new) if entry is not None)
    if largest > _LIMIT:
        old = change.path if change.old is not None else None
        return too_large(old, change.path if change.new is not None else None, largest)
    return unified(change.path, change.path, before, after, show=conceal)


def _count_lines(lines: list[str]) -> tuple[int, int]:
    """Return the numbers of added and removed lines; the first two lines are the header."""
    body = lines[2:]
    return sum(one.startswith("+") for one in body), sum(one.startswith("-") for one in body)


def _stored(context: Context, entry: Entry | None) -> bytes | None:
    if entry is None or entry.size > _LIMIT:
        return None
    if entry.kind == EntryKind.SYMLINK:
        return entry.target
    if entry.kind != EntryKind.FILE:
        return None
    return b"".join(context.store.objects.content(ObjectId(entry.content), entry.size))


def _live(context: Context, change: Change) -> bytes | None:
    entry = change.new
    if entry is None or entry.size > _LIMIT or entry.kind != EntryKind.FILE:
        return entry.target if entry is not None and entry.kind == EntryKind.SYMLINK else None
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(os.path.join(context.root, change.path), flags), "rb") as file:
            return file.read(_LIMIT)
    except OSError:
        return None  # deleted since the scan


def _text(content: bytes | None) -> str | None:
    if content is None or not is_text(content):
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
