"""Frames and packs: encoded as in docs/format.md, and damage is detected."""

from __future__ import annotations

import random
import struct
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import ObjectCorrupt
from clew.model.ids import ObjectType, object_id
from clew.store.frame import (
    PACK_HEADER,
    RAW,
    ZSTD,
    StoredObject,
    encode_end,
    encode_frame,
    read_frame,
    read_pack,
    read_payload,
    verify_payload,
)
from clew.store.survey import Flaw, FoundFrame, survey
from clew.testing import MemoryTransport

NAME = "a.pack"


def stored(content: bytes, kind: int = ObjectType.BLOB) -> StoredObject:
    return StoredObject(kind, object_id(kind, content), content)


def packed(*frames: list[StoredObject]) -> MemoryTransport:
    transport = MemoryTransport()
    encoded = [encode_frame(objects)[0] for objects in frames]
    transport.write_new(NAME, [PACK_HEADER, *encoded, encode_end(len(frames))])
    return transport


def flipped(transport: MemoryTransport, at: int, bit: int = 0) -> MemoryTransport:
    damaged = MemoryTransport()
    content = bytearray(transport.files[NAME])
    content[at] ^= 1 << bit
    damaged.write_new(NAME, [bytes(content)])
    return damaged


def test_a_frame_is_laid_out_as_documented() -> None:
    first, second = stored(b"abc"), stored(b"defg", ObjectType.TREE)
    frame, places = encode_frame([first, second])
    table = struct.pack("<BI32s", 1, 3, first.identifier) + struct.pack(
        "<BI32s", 4, 4, second.identifier
    )
    fields = b"CLWF" + struct.pack("<B3xIIII", RAW, 2, 7, 7, crc32(b"abcdefg"))
    header_crc = struct.pack("<I", crc32(fields + table))

    assert frame == fields + header_crc + table + b"abcdefg"
    assert [place.position for place in places] == [0, 3]


def test_a_pack_begins_and_ends_as_documented() -> None:
    end = b"CLWE" + struct.pack("<I", 5)

    assert PACK_HEADER.hex() == b"CLEWPACK".hex() + "01000000" + "00000000"
    assert encode_end(5) == end + struct.pack("<I", crc32(end))


def test_what_does_not_shrink_is_kept_raw() -> None:
    transport = packed([stored(b"a" * 5000)], [stored(random.Random(1).randbytes(800))])
    (_, squeezed), (_, raw) = read_pack(transport, NAME)

    assert (squeezed.codec, raw.codec) == (ZSTD, RAW)
    assert squeezed.stored_length < 100
    assert read_payload(transport, NAME, squeezed) == b"a" * 5000


@given(st.lists(st.lists(st.binary(max_size=2000), min_size=1, max_size=5), max_size=4))
@settings(max_examples=60, deadline=None)
def test_what_went_into_a_pack_comes_out(contents: list[list[bytes]]) -> None:
    transport = packed(*([stored(content) for content in frame] for frame in contents))
    found = []
    for _, frame in read_pack(transport, NAME):
        raw = read_payload(transport, NAME, frame)
        assert verify_payload(raw, frame) == []
        found.append(
            [raw[place.position : place.position + place.length] for place in frame.entries]
        )

    assert found == contents


def test_every_flipped_bit_is_noticed() -> None:
    transport = packed([stored(b"some content"), stored(b"x" * 900)], [stored(b"tree", 4)])
    for at in range(len(transport.files[NAME])):
        damaged = flipped(transport, at, at % 8)

        with pytest.raises(ObjectCorrupt):
            [read_payload(damaged, NAME, frame) for _, frame in read_pack(damaged, NAME)]


def test_an_object_that_is_not_what_its_table_says_is_noticed() -> None:
    liar = StoredObject(1, object_id(1, b"something else"), b"content")
    transport = packed([stored(b"honest"), liar])
    ((_, frame),) = read_pack(transport, NAME)

    assert verify_payload(read_payload(transport, NAME, frame), frame) == [liar.identifier]


def test_a_missing_pack_is_said_so() -> None:
    with pytest.raises(ObjectCorrupt, match="missing"):
        read_frame(MemoryTransport(), NAME, 16)


def test_a_survey_of_a_whole_pack_gives_its_frames() -> None:
    transport = packed([stored(b"one")], [stored(b"two")])
    parts = list(survey(transport, NAME))

    assert [(part.offset, part.frame) for part in parts if isinstance(part, FoundFrame)] == list(
        read_pack(transport, NAME)
    )
    assert not any(isinstance(part, Flaw) or part.searched for part in parts)


def test_a_survey_finds_the_frames_after_a_damaged_one() -> None:
    transport = packed([stored(b"one")], [stored(b"two")], [stored(b"three")])
    offsets = [offset for offset, _ in read_pack(transport, NAME)]
    for at in range(offsets[1], offsets[1] + 28):
        parts = list(survey(flipped(transport, at), NAME))
        found = [part for part in parts if isinstance(part, FoundFrame)]
        (flaw,) = (part for part in parts if isinstance(part, Flaw))

        assert [part.offset for part in found] == [offsets[0], offsets[2]]
        assert [part.searched for part in found] == [False, True]
        assert (flaw.start, flaw.end) == (offsets[1], offsets[2])


@given(st.binary(max_size=400), st.booleans())
@settings(max_examples=100, deadline=None)
def test_a_survey_of_garbage_finds_flaws_and_never_fails(garbage: bytes, headed: bool) -> None:
    transport = MemoryTransport()
    transport.write_new(NAME, [PACK_HEADER if headed else b"", garbage])
    parts = list(survey(transport, NAME))

    assert all(isinstance(part, Flaw) and part.start <= part.end for part in parts)
    assert parts


def test_a_survey_of_a_cut_pack_keeps_what_comes_before_the_cut() -> None:
    whole = packed([stored(b"one")], [stored(b"two" * 100)])
    offsets = [offset for offset, _ in read_pack(whole, NAME)]
    cut = MemoryTransport()
    cut.write_new(NAME, [whole.files[NAME][:-50]])
    parts = list(survey(cut, NAME))

    assert [part.offset for part in parts if isinstance(part, FoundFrame)] == offsets[:1]
    assert any(isinstance(part, Flaw) for part in parts)
