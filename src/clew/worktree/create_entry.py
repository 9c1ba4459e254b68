"""Entry creation: makes one file, link or special file, with its content and metadata.

The flags that forbid changes are not set here: they come last, when nothing changes any more.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable

from clew.model.content import BLOCK
from clew.model.entry import Entry, EntryKind
from clew.worktree.metadata import BLOCKING_FLAGS, MetadataWriter, set_flags

_ZERO_BLOCK = bytes(BLOCK)
_NEW_FILE = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_MODES = {
    EntryKind.FIFO: stat.S_IFIFO,
    EntryKind.SOCKET: stat.S_IFSOCK,
    EntryKind.CHARACTER: stat.S_IFCHR,
    EntryKind.BLOCK: stat.S_IFBLK,
}

Problem = Callable[[str], None]


class Maker:
    """Creates files, links and special files under names that do not exist yet."""

    def __init__(self, metadata: MetadataWriter) -> None:
        self._metadata = metadata

    def make_file(
        self, directory: int, name: bytes, entry: Entry, pieces: Iterable[bytes], problem: Problem
    ) -> None:
        """Create a regular file with the content `pieces`."""
        descriptor = os.open(name, _NEW_FILE, 0o600, dir_fd=directory)
        try:
            write_sparse(descriptor, pieces)
            self._metadata.apply_open(descriptor, entry, problem)
            if entry.flags & ~BLOCKING_FLAGS:
                set_flags(descriptor, entry.flags, ~BLOCKING_FLAGS, problem)
        finally:
            os.close(descriptor)

    def make_special(self, directory: int, name: bytes, entry: Entry, problem: Problem) -> bool:
        """Create a symlink, fifo, socket or device; return False if that requires root."""
        try:
            if entry.kind == EntryKind.SYMLINK:
                os.symlink(entry.target, name, dir_fd=directory)
            else:
                device = os.makedev(*entry.device)
                os.mknod(name, _MODES[entry.kind] | 0o600, device, dir_fd=directory)
        except PermissionError as error:
            problem(f"{EntryKind.NAMES[entry.kind]}: {error.strerror}")
            return False
        self._metadata.apply(directory, name, entry, problem)
        return True


def write_sparse(descriptor: int, pieces: Iterable[bytes]) -> None:
    """Write a file with a hole for every aligned block of zeros."""
    offset = written = 0
    for piece in pieces:
        if len(piece) >= BLOCK or offset % BLOCK:
            written = _write_piece(descriptor, piece, offset) or written
        else:
            written = _write_at(descriptor, piece, offset) or written
        offset += len(piece)
    if written < offset:  # it ends in a hole
        os.ftruncate(descriptor, offset)


def _write_piece(descriptor: int, piece: bytes, offset: int) -> int:
    start = written = 0
    at = -offset % BLOCK  # the first block boundary inside the piece
    while at + BLOCK <= len(piece):
        if piece[at] == 0 and piece[at : at + BLOCK] == _ZERO_BLOCK:
            written = _write_at(descriptor, piece[start:at], offset + start) or written
            start = at + BLOCK
        at += BLOCK
    return _write_at(descriptor, piece[start:] if start else piece, offset + start) or written


def _write_at(descriptor: int, content: bytes, offset: int) -> int:
    """Write all of `content` and return where it ends; return zero if it is empty."""
    view = memoryview(content)
    while view:
        written = os.pwrite(descriptor, view, offset)
        view = view[written:]
        offset += written
    return offset if content else 0
