"""Room: how much a restore writes, and how much the disk has."""

from __future__ import annotations

import os

from clew.errors import NoRoomForRestore
from clew.model.content import BLOB_LIMIT, Chunk, decode_chunklist
from clew.model.entry import Entry
from clew.operations.context import Context
from clew.worktree.steps import Steps

SPARE_BYTES = 1 << 20
"""What directories and metadata take besides content."""


def needed_bytes(context: Context, steps: Steps) -> int:
    """Return how much content the steps write; zeros become holes and need no room."""
    return sum(_written(context, step.new) for step in steps.put if step.new is not None)


def free_bytes(path: bytes) -> int:
    """Return what the filesystem of `path` has left for us."""
    space = os.statvfs(path)
    return space.f_bavail * space.f_frsize


def require_room(context: Context, steps: Steps) -> None:
    """Refuse, with the figures, what would not fit."""
    needed, free = needed_bytes(context, steps), free_bytes(context.root)
    if needed and needed + SPARE_BYTES > free:
        raise NoRoomForRestore(needed + SPARE_BYTES, free)


def _written(context: Context, entry: Entry) -> int:
    if entry.size <= BLOB_LIMIT:
        return entry.size
    tokens = decode_chunklist(context.store.objects.get(entry.content))
    return sum(token.length for token in tokens if isinstance(token, Chunk))
