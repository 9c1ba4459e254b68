"""Read from a checkpoint without restoring it: cat and ls."""

from __future__ import annotations

from collections.abc import Iterator

from clew.diff.trees import lookup
from clew.errors import NoSuchPath
from clew.model import path as paths
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry, EntryKind
from clew.model.ids import short
from clew.model.results import Listing
from clew.model.tree import read_directory
from clew.operations.context import Context


def cat(context: Context, checkpoint: Checkpoint, path: bytes) -> Iterator[bytes]:
    """Yield the content of a file, or the target of a symlink."""
    entry = _find(context, checkpoint, path)
    if entry.kind == EntryKind.SYMLINK:
        return iter((entry.target,))
    if entry.kind != EntryKind.FILE:
        what = EntryKind.NAMES[entry.kind]
        raise NoSuchPath(paths.as_text(path), what, checkpoint=short(checkpoint.id))
    return context.store.objects.content(entry.content, entry.size)


def ls(context: Context, checkpoint: Checkpoint, path: bytes) -> Listing:
    """List a directory, or one file."""
    entry = _find(context, checkpoint, path)
    if not entry.is_directory:
        return Listing(checkpoint, path, (entry,))
    entries = tuple(read_directory(entry.content, context.store.objects.get))
    return Listing(checkpoint, path, entries)


def _find(context: Context, checkpoint: Checkpoint, path: bytes) -> Entry:
    entry = lookup(checkpoint.record.tree, path, context.store.objects.get)
    if entry is None:
        raise NoSuchPath(paths.as_text(path), checkpoint=short(checkpoint.id))
    return entry
