"""Frames: objects compressed together, each with its id; see docs/format.md, 4.

A pack is self-describing: reading it from the start gives back the index.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from struct import Struct
from struct import error as StructError
from zlib import crc32

from clew.errors import ObjectCorrupt
from clew.model.ids import ObjectId, object_id
from clew.model.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.store.transport import Transport

PACK_HEADER = b"CLEWPACK" + (1).to_bytes(4, "little") + bytes(4)

FRAME_MAGIC = b"CLWF"

RAW, ZSTD = 0, 1

_END = b"CLWE"
_HEADER = Struct("<4sB3xIIIII")
_TABLE_LINE = Struct("<BI32s")
_END_BODY = Struct("<4sII")
_UNREADABLE = (errno.EIO, errno.EACCES, errno.EPERM, errno.EISDIR, errno.ESTALE)
_SMALL = 512  # not worth compressing
_LARGEST = 64 << 20


class StoredObject(NamedTuple):
    """One object on its way into a frame."""

    kind: int
    identifier: ObjectId
    content: bytes


class FrameEntry(NamedTuple):
    """Where one object is inside a frame."""

    kind: int
    identifier: ObjectId
    position: int
    length: int


class Frame(NamedTuple):
    """One frame read back, its header and table proved."""

    codec: int
    places: tuple[FrameEntry, ...]
    raw_length: int
    payload_offset: int
    """From the start of the pack."""
    stored_length: int
    payload_crc: int

    @property
    def end(self) -> int:
        return self.payload_offset + self.stored_length


def encode_frame(objects: Sequence[StoredObject]) -> tuple[bytes, list[FrameEntry]]:
    """Return a frame that holds `objects`, and where each one is in it."""
    places: list[FrameEntry] = []
    position = 0
    for kind, identifier, content in objects:
        places.append(FrameEntry(kind, identifier, position, len(content)))
        position += len(content)
    raw = b"".join([content for _, _, content in objects])
    codec, payload = _squeeze(raw)
    table = b"".join([_TABLE_LINE.pack(kind, length, key) for kind, key, _, length in places])
    fields = _HEADER.pack(
        FRAME_MAGIC, codec, len(objects), len(raw), len(payload), crc32(payload), 0
    )[:-4]
    header_crc = crc32(table, crc32(fields))
    return b"".join([fields, header_crc.to_bytes(4, "little"), table, payload]), places


def encode_end(frames: int) -> bytes:
    """Return the end of a pack of so many frames."""
    head = _END + frames.to_bytes(4, "little")
    return head + crc32(head).to_bytes(4, "little")


def read_frame(transport: Transport, name: str, offset: int) -> Frame:
    """Read the header and table of the frame at `offset`."""
    where = f"{name} at {offset}"
    header = _read(transport, name, offset, _HEADER.size, where)
    try:
        magic, codec, count, raw, stored, payload_crc, header_crc = _HEADER.unpack(header)
    except StructError as error:
        raise ObjectCorrupt(where) from error
    if magic != FRAME_MAGIC or max(raw, stored, count * _TABLE_LINE.size) > _LARGEST:
        raise ObjectCorrupt(where)
    table = _read(transport, name, offset + _HEADER.size, count * _TABLE_LINE.size, where)
    if crc32(table, crc32(header[:-4])) != header_crc:
        raise ObjectCorrupt(where)
    places: list[FrameEntry] = []
    position = 0
    for kind, length, key in _TABLE_LINE.iter_unpack(table):
        places.append(FrameEntry(kind, ObjectId(key), position, length))
        position += length
    if position != raw:
        raise ObjectCorrupt(where)
    return Frame(codec, tuple(places), raw, offset + _HEADER.size + len(table), stored, payload_crc)


def read_payload(transport: Transport, name: str, frame: Frame) -> bytes:
    """Return the raw payload of a frame, its checksum proved."""
    where = f"{name} at {frame.payload_offset}"
    stored = verify_stored(transport, name, frame)
    if frame.codec == RAW:
        raw = stored
    elif frame.codec == ZSTD:
        raw = _expand(stored, where)
    else:
        raise ObjectCorrupt(where)
    if len(raw) != frame.raw_length:
        raise ObjectCorrupt(where)
    return raw


def verify_stored(transport: Transport, name: str, frame: Frame) -> bytes:
    """Return the payload of a frame as it is stored; `ObjectCorrupt` unless its checksum matches."""
    where = f"{name} at {frame.payload_offset}"
    stored = _read(transport, name, frame.payload_offset, frame.stored_length, where)
    if crc32(stored) != frame.payload_crc:
        raise ObjectCorrupt(where)
    return stored


def read_pack(transport: Transport, name: str) -> Iterator[tuple[int, Frame]]:
    """Yield (offset, frame) from start to end, then prove the pack ends where it should."""
    try:
        size = transport.size(name)
    except FileNotFoundError as error:
        raise ObjectCorrupt(f"{name}, which is missing") from error
    if _read(transport, name, 0, len(PACK_HEADER), name) != PACK_HEADER:
        raise ObjectCorrupt(f"{name} at 0")
    offset, frames = len(PACK_HEADER), 0
    while offset + _END_BODY.size < size:
        frame = read_frame(transport, name, offset)
        yield offset, frame
        offset = frame.end
        frames += 1
    if offset + _END_BODY.size != size or _read(
        transport, name, offset, _END_BODY.size, name
    ) != encode_end(frames):
        raise ObjectCorrupt(f"{name} at {offset}")


def verify_payload(raw: bytes, frame: Frame) -> list[ObjectId]:
    """Return the ids of objects in a payload that do not match their bytes."""
    return [
        place.identifier
        for place in frame.places
        if object_id(place.kind, raw[place.position : place.position + place.length])
        != place.identifier
    ]


def _squeeze(raw: bytes) -> tuple[int, bytes]:
    if len(raw) < _SMALL:
        return RAW, raw
    from clew.store.zstd import compress

    squeezed = compress(raw)
    if len(squeezed) > len(raw) - len(raw) // 20:
        return RAW, raw
    return ZSTD, squeezed


def _expand(stored: bytes, where: str) -> bytes:
    from clew.store.zstd import DecompressionError, decompress

    try:
        return decompress(stored)
    except DecompressionError as error:
        raise ObjectCorrupt(where) from error


def _read(transport: Transport, name: str, offset: int, length: int, where: str) -> bytes:
    try:
        content = transport.read(name, offset, length)
    except FileNotFoundError as error:
        raise ObjectCorrupt(f"{name}, which is missing") from error
    except OSError as error:
        if error.errno not in _UNREADABLE:
            raise
        raise ObjectCorrupt(f"{name}, which cannot be read ({error.strerror})") from error
    if len(content) != length:
        raise ObjectCorrupt(where)
    return content
