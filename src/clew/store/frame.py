"""Frame encoding: objects compressed together, with a table of their ids; see docs/format.md, 4.

A pack is self-describing: the index can be rebuilt by reading it from the start.
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

_END_MAGIC = b"CLWE"
_HEADER = Struct("<4sB3xIIIII")
_TABLE_ENTRY = Struct("<BI32s")
_END_BODY = Struct("<4sII")
_UNREADABLE = (errno.EIO, errno.EACCES, errno.EPERM, errno.EISDIR, errno.ESTALE)
_MIN_COMPRESSED = 512  # not worth compressing
_MAX_FRAME = 64 << 20


class StoredObject(NamedTuple):
    """One object to be put into a frame."""

    kind: int
    identifier: ObjectId
    content: bytes


class FrameEntry(NamedTuple):
    """The position of one object in a frame."""

    kind: int
    identifier: ObjectId
    position: int
    length: int


class Frame(NamedTuple):
    """One frame, with header and table verified."""

    codec: int
    entries: tuple[FrameEntry, ...]
    raw_length: int
    payload_offset: int
    """Offset from the start of the pack."""
    stored_length: int
    payload_crc: int

    @property
    def end(self) -> int:
        return self.payload_offset + self.stored_length


def encode_frame(objects: Sequence[StoredObject]) -> tuple[bytes, list[FrameEntry]]:
    """Return the encoded frame of `objects`, and the position of each one in it."""
    entries: list[FrameEntry] = []
    position = 0
    for kind, identifier, content in objects:
        entries.append(FrameEntry(kind, identifier, position, len(content)))
        position += len(content)
    raw = b"".join([content for _, _, content in objects])
    codec, payload = _compress(raw)
    table = b"".join([_TABLE_ENTRY.pack(kind, length, key) for kind, key, _, length in entries])
    fields = _HEADER.pack(
        FRAME_MAGIC, codec, len(objects), len(raw), len(payload), crc32(payload), 0
    )[:-4]
    header_crc = crc32(table, crc32(fields))
    return b"".join([fields, header_crc.to_bytes(4, "little"), table, payload]), entries


def encode_end(frames: int) -> bytes:
    """Return the end marker of a pack with this number of frames."""
    head = _END_MAGIC + frames.to_bytes(4, "little")
    return head + crc32(head).to_bytes(4, "little")


def read_frame(transport: Transport, name: str, offset: int) -> Frame:
    """Read the header and table of the frame at `offset`."""
    where = f"{name} at {offset}"
    header = _read(transport, name, offset, _HEADER.size, where)
    try:
        magic, codec, count, raw, stored, payload_crc, header_crc = _HEADER.unpack(header)
    except StructError as error:
        raise ObjectCorrupt(where) from error
    if magic != FRAME_MAGIC or max(raw, stored, count * _TABLE_ENTRY.size) > _MAX_FRAME:
        raise ObjectCorrupt(where)
    table = _read(transport, name, offset + _HEADER.size, count * _TABLE_ENTRY.size, where)
    if crc32(table, crc32(header[:-4])) != header_crc:
        raise ObjectCorrupt(where)
    entries: list[FrameEntry] = []
    position = 0
    for kind, length, key in _TABLE_ENTRY.iter_unpack(table):
        entries.append(FrameEntry(kind, ObjectId(key), position, length))
        position += length
    if position != raw:
        raise ObjectCorrupt(where)
    return Frame(
        codec, tuple(entries), raw, offset + _HEADER.size + len(table), stored, payload_crc
    )


def read_payload(transport: Transport, name: str, frame: Frame) -> bytes:
    """Return the decompressed payload of a frame, with its checksum verified."""
    where = f"{name} at {frame.payload_offset}"
    stored = verify_stored(transport, name, frame)
    if frame.codec == RAW:
        raw = stored
    elif frame.codec == ZSTD:
        raw = _decompress(stored, where)
    else:
        raise ObjectCorrupt(where)
    if len(raw) != frame.raw_length:
        raise ObjectCorrupt(where)
    return raw


def verify_stored(transport: Transport, name: str, frame: Frame) -> bytes:
    """Return the payload of a frame as stored; raise `ObjectCorrupt` if its checksum does not match."""
    where = f"{name} at {frame.payload_offset}"
    stored = _read(transport, name, frame.payload_offset, frame.stored_length, where)
    if crc32(stored) != frame.payload_crc:
        raise ObjectCorrupt(where)
    return stored


def read_pack(transport: Transport, name: str) -> Iterator[tuple[int, Frame]]:
    """Yield (offset, frame) from start to end, then verify the end marker of the pack."""
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
    """Return the ids of the objects in a payload whose bytes do not match."""
    return [
        entry.identifier
        for entry in frame.entries
        if object_id(entry.kind, raw[entry.position : entry.position + entry.length])
        != entry.identifier
    ]


def _compress(raw: bytes) -> tuple[int, bytes]:
    if len(raw) < _MIN_COMPRESSED:
        return RAW, raw
    from clew.store.zstd import compress

    compressed = compress(raw)
    if len(compressed) > len(raw) - len(raw) // 20:
        return RAW, raw
    return ZSTD, compressed


def _decompress(stored: bytes, where: str) -> bytes:
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
