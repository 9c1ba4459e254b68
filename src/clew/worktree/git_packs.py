"""One object out of git's packs, read from files: git itself is never run.

The index of a pack (version 2) is a table of ids, each with its place in the pack; only a few reads
are needed, however large the pack is.  An object may be stored as changes to another one.
Every byte is the workspace's and so hostile: sizes, depths and places are checked.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from struct import Struct

from clew.model.git_delta import apply_delta
from clew.worktree.root import Root

_LIMIT = 1 << 20
"""The largest object that is unpacked."""
_DEPTH = 50
_PACKS = 200
_DIRECTORY = b".git/objects/pack"
_MAGIC = b"\xfftOc\x00\x00\x00\x02"
_FANOUT_AT = 8
_IDS_AT = _FANOUT_AT + 256 * 4
_U32 = Struct(">I")
_U64 = Struct(">Q")
_LARGE = 1 << 31
_OFS_DELTA, _REF_DELTA = 6, 7


def packed_object(root: Root, identifier: bytes) -> bytes | None:
    """Return the content of the object that hexadecimal `identifier` names, if a pack holds it."""
    wanted = bytes.fromhex(identifier.decode("ascii"))
    for name in _indexes(root):
        with _Pack(root, name) as pack:
            try:
                offset = pack.find(wanted)
                if offset is not None:
                    return pack.read(offset)
            except (ValueError, IndexError, zlib.error, OSError):
                return None  # broken, or made to hurt
    return None


def _indexes(root: Root) -> Iterator[bytes]:
    try:
        directory = root.open_directory(_DIRECTORY)
    except OSError:
        return
    try:
        names = sorted(os.fsencode(name) for name in os.listdir(directory))
    finally:
        os.close(directory)
    for name in [name for name in names if name.endswith(b".idx")][:_PACKS]:
        yield _DIRECTORY + b"/" + name[: -len(b".idx")]


class _Pack:
    """A pack and its index, open."""

    def __init__(self, root: Root, path: bytes) -> None:
        self._files = [_open(root, path + end) for end in (b".idx", b".pack")]

    def __enter__(self) -> _Pack:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self._files:
            if descriptor is not None:
                os.close(descriptor)

    def find(self, wanted: bytes) -> int | None:
        """Return where an object begins in the pack."""
        index = self._files[0]
        if index is None or os.pread(index, len(_MAGIC), 0) != _MAGIC:
            return None
        width = len(wanted)
        low = self._number(index, _FANOUT_AT + 4 * (wanted[0] - 1)) if wanted[0] else 0
        high = self._number(index, _FANOUT_AT + 4 * wanted[0])
        total = self._number(index, _FANOUT_AT + 4 * 255)
        while low < high:
            middle = (low + high) // 2
            found = os.pread(index, width, _IDS_AT + width * middle)
            if found == wanted:
                return self._place(index, middle, total, width)
            low, high = (middle + 1, high) if found < wanted else (low, middle)
        return None

    def read(self, offset: int, depth: int = 0) -> bytes:
        """Return the object that begins at `offset`."""
        pack = self._files[1]
        if pack is None or depth > _DEPTH:
            raise ValueError("No such object")
        head = os.pread(pack, 64, offset)
        kind, size, at = _header(head)
        if size > _LIMIT:
            raise ValueError("Too large")
        if kind == _OFS_DELTA:
            distance, at = _distance(head, at)
            return _patched(self.read(offset - distance, depth + 1), _inflate(pack, offset + at))
        if kind == _REF_DELTA:
            base = self.find(head[at : at + 20])
            if base is None:
                raise ValueError("Its base is not here")
            return _patched(self.read(base, depth + 1), _inflate(pack, offset + at + 20))
        return _inflate(pack, offset + at)

    def _place(self, index: int, number: int, total: int, width: int) -> int:
        offsets = _IDS_AT + total * (width + 4)
        place = self._number(index, offsets + 4 * number)
        if place < _LARGE:
            return place
        content = os.pread(index, 8, offsets + 4 * total + 8 * (place - _LARGE))
        return int(_U64.unpack(content.ljust(8, b"\0"))[0])

    @staticmethod
    def _number(index: int, at: int) -> int:
        return int(_U32.unpack(os.pread(index, 4, at).ljust(4, b"\0"))[0])


def _open(root: Root, path: bytes) -> int | None:
    try:
        descriptor = root.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None


def _header(head: bytes) -> tuple[int, int, int]:
    """Return the kind and size of an object, and where its header ends."""
    byte = head[0]
    kind, size, shift, at = byte >> 4 & 7, byte & 15, 4, 1
    while byte & 0x80:
        byte = head[at]
        size |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
    return kind, size, at


def _distance(head: bytes, at: int) -> tuple[int, int]:
    byte = head[at]
    distance, at = byte & 0x7F, at + 1
    while byte & 0x80:
        byte = head[at]
        distance, at = (distance + 1) << 7 | byte & 0x7F, at + 1
    if distance <= 0:
        raise ValueError("An object cannot be made of itself")
    return distance, at


def _inflate(pack: int, offset: int) -> bytes:
    machine = zlib.decompressobj()
    parts: list[bytes] = []
    left = _LIMIT + 1
    while not machine.eof and left > 0:
        piece = os.pread(pack, 1 << 16, offset)
        if not piece:
            raise ValueError("A pack ends early")
        offset += len(piece)
        parts.append(machine.decompress(piece, left))
        left -= len(parts[-1])
    return b"".join(parts)[:_LIMIT]


def _patched(base: bytes, delta: bytes) -> bytes:
    found = apply_delta(base, delta, _LIMIT)
    if found is None:
        raise ValueError("A broken delta")
    return found
