"""Git pack reader: objects by id from a pack and its index (version 2), through read functions.

Few reads are needed, however large the pack is.  An object may be stored as a delta against
another object of the pack; chains of deltas are followed up to a limit.
Every byte is untrusted: sizes, offsets and chains are bounded, and malformed input gives None.
"""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_left
from collections.abc import Callable

from clew.model.named_tuple import NamedTuple

ReadAt = Callable[[int, int], bytes]
"""Returns the bytes at an offset, up to a size; fewer at the end of the file."""

_MAGIC = b"\xfftOc\x00\x00\x00\x02"
_FANOUT_END = 8 + 256 * 4
_LARGE = 1 << 31
_MAX_OFFSET = (1 << 63) - 1
_HEADER_SIZE = 64
"""Enough for type and size (10 bytes) and the base of a delta (at most 32)."""
_OFS_DELTA, _REF_DELTA = 6, 7
_TYPES = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_MAX_CHAIN = 256
_DELTAS = 4
"""The deltas of one object may have this many times the size of the largest object."""


class RawObject(NamedTuple):
    """Type and content of a git object."""

    type: str
    content: bytes


class GitPackIndex:
    """Index of a pack: the offset of each object by id."""

    def __init__(self, read: ReadAt, id_size: int) -> None:
        """Raise `ValueError` unless this is a complete index of version 2."""
        head = read(0, _FANOUT_END)
        if not head.startswith(_MAGIC) or len(head) < _FANOUT_END:
            raise ValueError("not a pack index of version 2")
        self.id_size = id_size
        self._read = read
        self._fanout = struct.unpack_from(">256I", head, 8)
        self._count = self._fanout[255]
        self._offsets = _FANOUT_END + self._count * (id_size + 4)
        if not read(self._offsets + self._count * 4 - 1, 1):
            raise ValueError("truncated pack index")

    def offset(self, wanted: bytes) -> int | None:
        """Return the offset in the pack of the object with this id."""
        low = self._fanout[wanted[0] - 1] if wanted[0] else 0
        high = min(self._fanout[wanted[0]], self._count)
        at = bisect_left(range(self._count), wanted, min(low, high), high, key=self._id)
        if at >= self._count or self._id(at) != wanted:
            return None
        offset = int.from_bytes(self._read(self._offsets + at * 4, 4), "big")
        if offset < _LARGE:
            return offset
        large = self._read(self._offsets + self._count * 4 + (offset - _LARGE) * 8, 8)
        return int.from_bytes(large, "big") if len(large) == 8 else None

    def _id(self, at: int) -> bytes:
        return self._read(_FANOUT_END + at * self.id_size, self.id_size)


def read_object(read: ReadAt, index: GitPackIndex, offset: int, limit: int) -> RawObject | None:
    """Return the object at an offset of a pack, with its deltas applied; at most `limit` bytes."""
    deltas: list[bytes] = []
    left = _DELTAS * limit
    for _ in range(_MAX_CHAIN):
        if not 0 <= offset <= _MAX_OFFSET:
            return None
        head = read(offset, _HEADER_SIZE)
        found = _header(head)
        if found is None or found[1] > limit:
            return None
        kind, size, at = found
        base: int | None = None
        if kind == _OFS_DELTA:
            distance, at = _distance(head, at)
            base = offset - distance if distance else None
        elif kind == _REF_DELTA:
            wanted = head[at : at + index.id_size]
            base = index.offset(wanted) if len(wanted) == index.id_size else None
            at += index.id_size
        content = _inflate(read, offset + at, size)
        if content is None:
            return None
        if kind in _TYPES:
            return _resolve(_TYPES[kind], content, deltas, limit)
        left -= len(content)
        if base is None or left < 0:
            return None
        deltas.append(content)
        offset = base
    return None


def _header(head: bytes) -> tuple[int, int, int] | None:
    """Return the type and size of an object, and the end of its header."""
    size, shift = 0, 4
    for at, byte in enumerate(head):
        if at == 0:
            size = byte & 15
        else:
            size |= (byte & 0x7F) << shift
            shift += 7
        if not byte & 0x80:
            return (head[0] >> 4) & 7, size, at + 1
        if shift > 60:
            break
    return None


def _distance(head: bytes, at: int) -> tuple[int, int]:
    """Return the distance back to the base of a delta, zero if malformed, and its end."""
    distance = -1
    for end, byte in enumerate(head[at : at + 9], at + 1):
        distance = ((distance + 1) << 7) | (byte & 0x7F)
        if not byte & 0x80:
            return distance, end
    return 0, at


def _inflate(read: ReadAt, at: int, size: int) -> bytes | None:
    # zlib copies unused input, so it does not get the rest of the pack
    compressed = read(at, size + (size >> 9) + 64)
    try:
        content = zlib.decompressobj().decompress(compressed, size + 1)
    except zlib.error:
        return None
    return content if len(content) == size else None


def _resolve(kind: str, content: bytes, deltas: list[bytes], limit: int) -> RawObject | None:
    for delta in reversed(deltas):
        applied = _apply_delta(content, delta, limit)
        if applied is None:
            return None
        content = applied
    return RawObject(kind, content)


def _apply_delta(base: bytes, delta: bytes, limit: int) -> bytes | None:
    """Return the result of a delta: runs copied from the base, and runs of its own."""
    try:
        base_size, at = _delta_size(delta, 0)
        size, at = _delta_size(delta, at)
        if base_size != len(base) or size > limit:
            return None
        pieces: list[bytes] = []
        written = 0
        while at < len(delta) and written <= size:
            command = delta[at]
            at += 1
            if command & 0x80:
                start, length, at = _copy_range(delta, at, command)
                piece = base[start : start + length]
                if len(piece) != length:
                    return None
            elif command:
                piece = delta[at : at + command]
                at += command
            else:
                return None
            pieces.append(piece)
            written += len(piece)
    except IndexError:
        return None
    return b"".join(pieces) if written == size else None


def _delta_size(delta: bytes, at: int) -> tuple[int, int]:
    size = shift = 0
    while True:
        byte = delta[at]
        at += 1
        size |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80 or shift > 60:
            return size, at


def _copy_range(delta: bytes, at: int, command: int) -> tuple[int, int, int]:
    start = length = 0
    for bit in range(4):
        if command & (1 << bit):
            start |= delta[at] << (8 * bit)
            at += 1
    for bit in range(3):
        if command & (0x10 << bit):
            length |= delta[at] << (8 * bit)
            at += 1
    return start, length or 0x10000, at
