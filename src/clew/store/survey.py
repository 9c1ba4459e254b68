"""Pack survey: every readable frame of a damaged pack, and the parts that cannot be read.

After a frame with a damaged header or table, the next one is searched for by its magic.  A match may
also be saved file content that looks like a frame: its objects are still verified by their ids, but
it does not prove that a checkpoint existed.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.errors import ObjectCorrupt
from clew.model.named_tuple import NamedTuple
from clew.store.frame import FRAME_MAGIC, PACK_HEADER, Frame, encode_end, read_frame
from clew.store.transport import Transport

_END_BYTES = len(encode_end(0))


class FoundFrame(NamedTuple):
    """A frame with intact header and table."""

    offset: int
    frame: Frame
    searched: bool
    """It was found by searching after damage, not at the end of the previous frame."""


class Flaw(NamedTuple):
    """A damaged part of a pack."""

    start: int
    end: int
    what: str


def survey(transport: Transport, name: str) -> Iterator[FoundFrame | Flaw]:
    """Yield the frames and flaws of a pack from start to end; never raise for damage."""
    try:
        size = transport.size(name)
    except FileNotFoundError:
        yield Flaw(0, 0, "the pack is missing")
        return
    if transport.read(name, 0, len(PACK_HEADER)) != PACK_HEADER:
        yield Flaw(0, len(PACK_HEADER), "the pack's header is damaged")
    offset, frames, searched = len(PACK_HEADER), 0, False
    while offset < size - _END_BYTES:
        frame = _frame_at(transport, name, offset, size)
        if frame is not None:
            yield FoundFrame(offset, frame, searched)
            offset, frames = frame.end, frames + 1
        else:
            after = _next_frame(transport, name, offset, size)
            yield Flaw(offset, after, "a frame's header is damaged")
            offset, searched = after, True
    end = transport.read(name, max(0, size - _END_BYTES), _END_BYTES)
    counted = int.from_bytes(end[4:8], "little")
    if end != encode_end(counted) or (counted != frames and not searched):
        yield Flaw(min(offset, size), size, "the pack's end is damaged")


def _frame_at(transport: Transport, name: str, offset: int, size: int) -> Frame | None:
    try:
        frame = read_frame(transport, name, offset)
    except ObjectCorrupt:
        return None
    return frame if frame.end <= size - _END_BYTES else None


def _next_frame(transport: Transport, name: str, offset: int, size: int) -> int:
    rest = transport.read(name, offset, size - offset)
    at = rest.find(FRAME_MAGIC, 1)
    while at >= 0:
        if _frame_at(transport, name, offset + at, size) is not None:
            return offset + at
        at = rest.find(FRAME_MAGIC, at + 1)
    return size - _END_BYTES
