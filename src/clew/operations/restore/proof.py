"""Proof before a restore: everything it will overwrite can be read from the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clew.errors import StoreDamaged
from clew.model.content import BLOB_LIMIT, Chunk, decode_chunklist
from clew.model.entry import Entry
from clew.model.ids import ObjectId
from clew.operations.context import Context
from clew.store.pages import damaged_pages
from clew.worktree.steps import Steps


def prove(context: Context, steps: Steps) -> None:
    """Read everything that is about to be overwritten or deleted from the store.

    New content is verified while it is staged, before anything changes, so it is not read here.
    The catalogue's pages are read too: the journal is among them, and must not fail half-way.
    """
    if damaged_pages(context.store.layout.catalog):
        raise StoreDamaged(f"The catalogue is damaged: {context.store.layout.catalog!r}")
    get = context.store.objects.get
    coming = {blob for step in steps.put for blob in _blobs(step.new, get)}
    going = [
        blob
        for step in (*steps.put, *steps.delete)
        for blob in _blobs(step.old, get)
        if blob not in coming
    ]
    for _ in context.store.objects.get_many(going):
        pass


def _blobs(entry: Entry | None, get: Callable[[ObjectId], bytes]) -> Iterator[ObjectId]:
    """Yield the blobs of a file's content."""
    if entry is None or not entry.is_file:
        return
    if entry.size <= BLOB_LIMIT:
        yield entry.content
        return
    for token in decode_chunklist(get(entry.content)):
        if isinstance(token, Chunk):
            yield token.blob
