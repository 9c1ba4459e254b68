"""Reading a pack however damaged it is: every frame that can be found, and what cannot be read.

After a frame whose header or table is off, the next one is searched for by its magic.  What is
found so could also be a file that somebody saved and that looks like a frame: its objects are
proved by their ids all the same, but it is no witness for a checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.errors import ObjectCorrupt
from clew.model.named_tuple import NamedTuple
from clew.store.frame import FRAME_MAGIC, PACK_HEADER, Frame, encode_end, read_frame
from clew.store.transport import Transport

_END_BYTES = len(encode_end(0))


class FoundFrame(NamedTuple):
    """A frame whose header and table are as they were written."""

    offset: int
    frame: Frame
    searched: bool
    """It was not where the frame before it ended, but somewhere after damage."""


class Flaw(NamedTuple):
    """A part of a pack that cannot be what was written."""

    start: int
    end: int
    what: str


def survey(transport: Transport, name: str) -> Iterator[FoundFrame | Flaw]:
    """Yield the frames and the flaws of a pack from its start to its end; never raise for damage."""
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
