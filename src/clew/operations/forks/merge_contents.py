"""File contents for a merge, read from the store or the disk, and stored.

Files above 4 MiB are not merged by hunks, so nothing larger is read as a whole.
"""

from __future__ import annotations

import os

from clew.errors import ObjectMissing
from clew.model.content import BLOB_LIMIT, encode_chunklist
from clew.model.entry import Entry
from clew.model.ids import ObjectId, ObjectType
from clew.model.tree import Put
from clew.operations.context import Context
from clew.worktree.chunker import tokens
from clew.worktree.root import Root

_TEXT_LIMIT = 4 << 20
"""The largest file that is merged by hunks."""


class StoredContents:
    """Reads files from the store."""

    def __init__(self, context: Context) -> None:
        self._objects = context.store.objects

    def whole(self, path: bytes, entry: Entry) -> bytes | None:
        if entry.size > _TEXT_LIMIT:
            return None
        return b"".join(self._objects.content(entry.content, entry.size))

    def start(self, path: bytes, entry: Entry) -> bytes:
        return next(self._objects.content(entry.content, entry.size), b"")


class LiveContents:
    """Reads live files that no checkpoint holds."""

    def __init__(self, context: Context, root: Root) -> None:
        self._stored = StoredContents(context)
        self._root = root

    def whole(self, path: bytes, entry: Entry) -> bytes | None:
        if entry.size > _TEXT_LIMIT:
            return None
        try:
            return self._stored.whole(path, entry)
        except ObjectMissing:
            return self._read(path, _TEXT_LIMIT)

    def start(self, path: bytes, entry: Entry) -> bytes:
        try:
            return self._stored.start(path, entry)
        except ObjectMissing:
            return self._read(path, BLOB_LIMIT) or b""

    def _read(self, path: bytes, limit: int) -> bytes | None:
        try:
            descriptor = self._root.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            return None  # deleted since the scan; the merge itself reads what is there then
        with os.fdopen(descriptor, "rb") as file:
            return file.read(limit)


def put_text(text: bytes, put: Put) -> ObjectId:
    """Store a file's content as a scan would, and return its id."""
    if len(text) <= BLOB_LIMIT:
        return put(ObjectType.BLOB, text)
    with os.fdopen(os.memfd_create("merged"), "w+b") as file:
        file.write(text)
        file.flush()
        found = list(tokens(file.fileno(), lambda piece: put(ObjectType.BLOB, piece)))
    return put(ObjectType.CHUNKLIST, encode_chunklist(found))
