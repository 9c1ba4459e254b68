"""Disk space of a restore: how much it writes, and how much is free."""

from __future__ import annotations

from clew.errors import NoSpaceForRestore
from clew.model.content import BLOB_LIMIT, Chunk, decode_chunklist
from clew.model.entry import Entry
from clew.model.tree import Get
from clew.operations.context import Context
from clew.worktree.steps import Steps

SPARE_BYTES = 1 << 20
"""Space for directories and metadata."""


def needed_bytes(steps: Steps, get: Get) -> int:
    """Return how many content bytes the steps write; runs of zeros become holes and take none."""
    return sum(_written(step.new, get) for step in steps.put if step.new is not None)


def require_room(context: Context, steps: Steps) -> None:
    """Refuse, with the figures, a restore that does not fit."""
    needed = needed_bytes(steps, context.store.objects.get)
    free = context.host.free_bytes(context.root)
    if needed and needed + SPARE_BYTES > free:
        raise NoSpaceForRestore(needed + SPARE_BYTES, free)


def _written(entry: Entry, get: Get) -> int:
    if entry.size <= BLOB_LIMIT:
        return entry.size
    tokens = decode_chunklist(get(entry.content))
    return sum(token.length for token in tokens if isinstance(token, Chunk))
