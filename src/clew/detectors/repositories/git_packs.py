"""Objects out of a pack: an index (version 2) that says where, and a pack full of deltas.

A delta copies from another object of the pack, so a chain of them is followed, up to a limit.
Whatever is not as it should be gives None: the caller then knows less, and says so.
"""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_left

from clew.model.git_delta import apply_delta
from clew.model.named_tuple import NamedTuple

OBJECT_LIMIT = 8 << 20
"""The largest commit or tree that is taken apart."""
_LONGEST_CHAIN = 256
_DELTAS_LIMIT = 4 * OBJECT_LIMIT
"""How much the deltas of one object may hold in all."""
_MAGIC = b"\xfftOc\x00\x00\x00\x02"
_FANOUT_END = 8 + 256 * 4
_OFS_DELTA, _REF_DELTA = 6, 7
TYPES = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}


class RawObject(NamedTuple):
    """An object as git keeps it."""

    type: str
    content: bytes


class GitPackIndex:
    """Which objects a pack holds, and where."""

    def __init__(self, content: bytes, id_size: int) -> None:
        """`ValueError` for what is no index of version 2."""
        if not content.startswith(_MAGIC) or len(content) < _FANOUT_END:
            raise ValueError("no pack index of version 2")
        self._content = content
        self._id_size = id_size
        self._fanout = struct.unpack_from(">256I", content, 8)
        self._count = self._fanout[255]
        self._offsets = _FANOUT_END + self._count * (id_size + 4)
        if self._offsets + self._count * 4 > len(content):
            raise ValueError("the pack index is cut off")

    def offset(self, wanted: bytes) -> int | None:
        """Return where the object with this id begins in the pack."""
        low = self._fanout[wanted[0] - 1] if wanted[0] else 0
        high = min(self._fanout[wanted[0]], self._count)
        at = bisect_left(range(self._count), wanted, min(low, high), high, key=self._id)
        if at >= self._count or self._id(at) != wanted:
            return None
        (offset,) = struct.unpack_from(">I", self._content, self._offsets + at * 4)
        if not offset & 0x80000000:
            return int(offset)
        large = self._offsets + self._count * 4 + (offset & 0x7FFFFFFF) * 8
        if large + 8 > len(self._content):
            return None
        return int(struct.unpack_from(">Q", self._content, large)[0])

    def _id(self, at: int) -> bytes:
        start = _FANOUT_END + at * self._id_size
        return self._content[start : start + self._id_size]


def read_packed(pack: bytes, index: GitPackIndex, offset: int, id_size: int) -> RawObject | None:
    """Return the object at an offset, with all its deltas applied."""
    deltas: list[bytes] = []
    left = _DELTAS_LIMIT
    for _ in range(_LONGEST_CHAIN):
        found = _header(pack, offset)
        if found is None:
            return None
        kind, size, at = found
        base: int | None = None
        if kind == _OFS_DELTA:
            base, at = _base_offset(pack, offset, at)
        elif kind == _REF_DELTA:
            wanted = pack[at : at + id_size]
            base = index.offset(wanted) if len(wanted) == id_size else None
            at += id_size
        content = _inflate(pack, at, size)
        if content is None:
            return None
        if kind in TYPES:
            return _resolved(TYPES[kind], content, deltas)
        left -= len(content)
        if base is None or left < 0:
            return None
        deltas.append(content)
        offset = base
    return None


def _header(pack: bytes, at: int) -> tuple[int, int, int] | None:
    """Return the type and size of what begins here, and where it goes on."""
    if not 0 <= at < len(pack):
        return None
    byte = pack[at]
    kind, size, shift = (byte >> 4) & 7, byte & 15, 4
    while byte & 0x80:
        at += 1
        if at >= len(pack) or shift > 60:
            return None
        byte = pack[at]
        size |= (byte & 0x7F) << shift
        shift += 7
    return (kind, size, at + 1) if size <= OBJECT_LIMIT else None


def _base_offset(pack: bytes, offset: int, at: int) -> tuple[int | None, int]:
    """Return where the base of a delta begins; the number counts back from the delta."""
    distance = -1
    for _ in range(9):
        if at >= len(pack):
            break
        byte = pack[at]
        at += 1
        distance = ((distance + 1) << 7) | (byte & 0x7F)
        if not byte & 0x80:
            return (offset - distance if 0 < distance <= offset else None), at
    return None, at


def _inflate(pack: bytes, at: int, size: int) -> bytes | None:
    # what is given to zlib and not used is copied, so it is not given the rest of the pack
    compressed = pack[at : at + size + (size >> 9) + 64]
    try:
        content = zlib.decompressobj().decompress(compressed, size + 1)
    except zlib.error:
        return None
    return content if len(content) == size else None


def _resolved(kind: str, content: bytes, deltas: list[bytes]) -> RawObject | None:
    for delta in reversed(deltas):
        applied = apply_delta(content, delta, OBJECT_LIMIT)
        if applied is None:
            return None
        content = applied
    return RawObject(kind, content)
