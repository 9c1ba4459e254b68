"""Content-defined chunking of large files into zero runs and chunks; see docs/format.md, 3.1.

The cut points depend only on the bytes, not on holes or on how the file was read, so the same
content always gives the same chunklist.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from clew.model.content import BLOCK, CHUNK_SIZES, Chunk, Token, Zeros
from clew.model.ids import ObjectId
from clew.worktree import cut_points

WINDOW = 128 * BLOCK  # 8 MiB, a whole number of blocks
_ZERO_BLOCK = bytes(BLOCK)
_NO_END = 1 << 63
_LARGEST = CHUNK_SIZES[2]

PutBlob = Callable[[bytes], ObjectId]


def tokens(
    descriptor: int,
    put: PutBlob,
    size: int | None = None,
    *,
    cut: cut_points.CutLengths | None = None,
    window: int = WINDOW,
) -> Iterator[Token]:
    """Yield the tokens of an open file, or of its first `size` bytes.

    Give a size for a file that others may write to: one that grows faster than it is read has no
    end.
    """
    run = _DataRun(put, cut or cut_points.selected())
    zeros = 0
    for is_zero, piece, length in _segments(descriptor, _NO_END if size is None else size, window):
        if is_zero:
            yield from run.finish()
            zeros += length
        else:
            if zeros:
                yield Zeros(zeros)
                zeros = 0
            yield from run.add(piece)
    yield from run.finish()
    if zeros:
        yield Zeros(zeros)


class _DataRun:
    """Bytes between two zero runs, cut as soon as a cut point is final."""

    def __init__(self, put: PutBlob, cut: cut_points.CutLengths) -> None:
        self._put = put
        self._lengths = cut
        self._pending = b""

    def add(self, piece: bytes) -> Iterator[Chunk]:
        self._pending = self._pending + piece if self._pending else piece
        if len(self._pending) >= 8 * _LARGEST:
            yield from self._cut(keep=_LARGEST)

    def finish(self) -> Iterator[Chunk]:
        if self._pending:
            yield from self._cut(keep=0)

    def _cut(self, keep: int) -> Iterator[Chunk]:
        # A cut depends on at most one largest chunk ahead: with more than that left it is final.
        buffer = self._pending
        size = len(buffer)
        done = 0
        for length in self._lengths(buffer):
            if keep and size - done <= keep:
                break
            yield Chunk(length, self._put(buffer[done : done + length]))
            done += length
        self._pending = buffer[done:]


def _segments(descriptor: int, end: int, most: int) -> Iterator[tuple[bool, bytes, int]]:
    """Yield (is zero, bytes, length) for whole blocks; holes are zeros and are not read."""
    offset = 0
    has_holes = _has_holes(descriptor)
    while offset < end:
        data = min(_next_data(descriptor, offset), end) if has_holes else offset
        start = data - data % BLOCK
        if start > offset:
            yield True, b"", start - offset
            offset = start
        window = _read_window(descriptor, offset, min(most, end - offset))
        if not window:
            break
        yield from _split(window)
        offset += len(window)
        if len(window) % BLOCK:
            break  # the end; bytes appended from now on were not read, and are not zeros


def _has_holes(descriptor: int) -> bool:
    """Return whether searching for holes is worth it: the search waits for a write in progress."""
    found = os.fstat(descriptor)
    return found.st_blocks * 512 < found.st_size


def _next_data(descriptor: int, offset: int) -> int:
    try:
        return os.lseek(descriptor, offset, os.SEEK_DATA)
    except OSError:  # ENXIO: only a hole remains; EINVAL: the filesystem has no holes
        return offset if not _only_hole_left(descriptor, offset) else _size(descriptor)


def _only_hole_left(descriptor: int, offset: int) -> bool:
    try:
        return os.lseek(descriptor, offset, os.SEEK_HOLE) <= offset < _size(descriptor)
    except OSError:
        return False


def _size(descriptor: int) -> int:
    return os.fstat(descriptor).st_size


def _read_window(descriptor: int, offset: int, left: int) -> bytes:
    parts = []
    while left:
        part = os.pread(descriptor, left, offset)
        if not part:
            break
        parts.append(part)
        offset += len(part)
        left -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _split(window: bytes) -> Iterator[tuple[bool, bytes, int]]:
    start = 0
    was_zero = _is_zero(window, 0)
    for at in range(BLOCK, len(window), BLOCK):
        is_zero = _is_zero(window, at)
        if is_zero != was_zero:
            yield was_zero, b"" if was_zero else window[start:at], at - start
            start, was_zero = at, is_zero
    end = len(window)
    yield was_zero, b"" if was_zero else (window[start:] if start else window), end - start


def _is_zero(window: bytes, at: int) -> bool:
    if window[at]:
        return False
    block = window[at : at + BLOCK]
    return block == _ZERO_BLOCK[: len(block)]
