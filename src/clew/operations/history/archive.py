"""Write a checkpoint as a tar archive; pipes, sockets and devices are left out."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterator
from typing import IO

from clew.diff.trees import walk
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry, EntryKind
from clew.operations.context import Context

_TYPES = {
    EntryKind.FILE: tarfile.REGTYPE,
    EntryKind.DIRECTORY: tarfile.DIRTYPE,
    EntryKind.SYMLINK: tarfile.SYMTYPE,
}
_SECOND_NS = 1_000_000_000


def write_archive(context: Context, checkpoint: Checkpoint, file: IO[bytes]) -> None:
    """Write the files of a checkpoint; every object is verified against its id."""
    objects = context.store.objects
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, entry in walk(checkpoint.record.tree, objects.get):
            if entry.kind not in _TYPES:
                continue
            member = _member(path, entry)
            if entry.kind == EntryKind.FILE:
                tar.addfile(member, _Pieces(objects.content(entry.content, entry.size)))
            else:
                tar.addfile(member)


def _member(path: bytes, entry: Entry) -> tarfile.TarInfo:
    member = tarfile.TarInfo(os.fsdecode(path) if path else ".")
    member.type = _TYPES[entry.kind]
    member.mode = entry.mode
    member.mtime = entry.mtime_ns / _SECOND_NS  # PAX headers hold fractions of a second
    member.size = entry.size if entry.kind == EntryKind.FILE else 0
    member.linkname = os.fsdecode(entry.target)
    return member


class _Pieces(io.RawIOBase):
    """Chunks of a file's content, readable like a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""

    def read(self, size: int = -1, /) -> bytes:
        while (size < 0 or len(self._rest) < size) and (piece := next(self._pieces, None)):
            self._rest += piece
        found, self._rest = (
            (self._rest, b"") if size < 0 else (self._rest[:size], self._rest[size:])
        )
        return found
