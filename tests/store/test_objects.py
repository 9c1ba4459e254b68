"""Objects are stored once and verified when read."""

from __future__ import annotations

import random

import pytest

from clew.errors import ObjectCorrupt, ObjectMissing
from clew.model.content import Chunk, Token, Zeros, encode_chunklist
from clew.model.ids import ObjectId, ObjectType, object_id
from clew.store.claims import Claims
from clew.store.reader import Location, ObjectReader
from clew.store.transport import Transport
from clew.store.writer import PACK_BYTES, ObjectWriter
from clew.testing import MemoryTransport, RecordingTransport

BLOB, TREE = ObjectType.BLOB, ObjectType.TREE


def nothing(_: object) -> set[ObjectId]:
    return set()


def reader_of(writer: ObjectWriter, transport: Transport) -> ObjectReader:
    places = {
        row.identifier: Location(row.kind, row.pack, row.frame, row.position, row.length)
        for row in writer.rows
    }
    return ObjectReader(transport, places.get)


def test_what_was_put_is_got() -> None:
    transport = MemoryTransport()
    writer = ObjectWriter(transport, nothing)
    contents = [random.Random(number).randbytes(number * 7) for number in range(300)]
    identifiers = [writer.put(BLOB, content) for content in contents]
    writer.finish()
    reader = reader_of(writer, transport)

    assert [reader.get(identifier) for identifier in identifiers] == contents
    assert dict(reader.get_many(identifiers)) == dict(zip(identifiers, contents, strict=True))


def test_the_same_bytes_are_kept_once() -> None:
    transport = MemoryTransport()
    writer = ObjectWriter(transport, nothing)
    first, second = writer.put(BLOB, b"same"), writer.put(BLOB, b"same")
    writer.finish()

    assert first == second == object_id(BLOB, b"same")
    assert len(writer.rows) == 1


def test_what_the_store_has_is_not_written_again() -> None:
    transport = MemoryTransport()
    known = object_id(BLOB, b"known")
    writer = ObjectWriter(transport, lambda _: {known})
    writer.put(BLOB, b"known")
    writer.finish()

    assert transport.files == {}
    assert writer.new_bytes == 0


def test_the_same_bytes_as_another_type_are_another_object() -> None:
    writer = ObjectWriter(MemoryTransport(), nothing)

    assert writer.put(BLOB, b"same") != writer.put(TREE, b"same")


def test_content_and_trees_never_share_a_frame() -> None:
    writer = ObjectWriter(MemoryTransport(), nothing)
    for number in range(50):
        writer.put(BLOB, b"content %d" % number)
        writer.put(TREE, b"tree %d" % number)
    writer.finish()
    kinds: dict[tuple[str, int], set[int]] = {}
    for row in writer.rows:
        kinds.setdefault((row.pack, row.frame), set()).add(row.kind)

    assert all(len(found) == 1 for found in kinds.values())


def test_a_pack_is_closed_before_it_grows_too_large() -> None:
    transport = MemoryTransport()
    writer = ObjectWriter(transport, nothing)
    noise = random.Random(1)
    for _ in range(40):
        writer.put(BLOB, noise.randbytes(1 << 20))
    writer.finish()

    assert [len(content) < PACK_BYTES + (2 << 20) for content in transport.files.values()] == [
        True,
        True,
    ]
    assert {pack.name: pack.size for pack in writer.packs} == {
        name: len(content) for name, content in transport.files.items()
    }


def test_an_aborted_writer_takes_its_packs_back() -> None:
    transport = MemoryTransport()
    writer = ObjectWriter(transport, nothing)
    writer.put(BLOB, b"x")
    writer.finish()
    writer.abort()

    assert transport.files == {}


def test_one_writer_adopts_what_another_process_wrote() -> None:
    transport = MemoryTransport()
    parent, child = ObjectWriter(transport, nothing), ObjectWriter(transport, nothing)
    mine, theirs = parent.put(BLOB, b"mine"), child.put(BLOB, b"theirs")
    parent.adopt(*child.hand_over())
    parent.finish()
    reader = reader_of(parent, transport)

    assert (reader.get(mine), reader.get(theirs)) == (b"mine", b"theirs")
    assert len(parent.packs) == 2


def test_a_missing_object_is_said_so() -> None:
    reader = ObjectReader(MemoryTransport(), lambda _: None)

    with pytest.raises(ObjectMissing):
        reader.get(object_id(BLOB, b"x"))
    with pytest.raises(ObjectMissing):
        list(reader.get_many([object_id(BLOB, b"x")]))


def test_a_wrong_row_never_gives_wrong_bytes() -> None:
    transport = MemoryTransport()
    writer = ObjectWriter(transport, nothing)
    first, second = writer.put(BLOB, b"first"), writer.put(BLOB, b"other")
    writer.finish()
    row = next(row for row in writer.rows if row.identifier == second)
    reader = ObjectReader(transport, lambda _: Location(*row[1:]))

    with pytest.raises(ObjectCorrupt):
        reader.get(first)


def test_a_large_file_is_put_together_from_its_chunks_and_zeros() -> None:
    transport = MemoryTransport()
    writer = ObjectWriter(transport, nothing)
    chunk = writer.put(BLOB, b"abc")
    tokens: list[Token] = [Chunk(3, chunk), Zeros(3 << 20), Chunk(3, chunk)]
    content = writer.put(ObjectType.CHUNKLIST, encode_chunklist(tokens))
    writer.finish()
    pieces = list(reader_of(writer, transport).content(content, (3 << 20) + 6))

    assert b"".join(pieces) == b"abc" + bytes(3 << 20) + b"abc"
    assert max(map(len, pieces)) <= 1 << 20


def test_a_frame_that_is_warm_is_not_read_again() -> None:
    transport = MemoryTransport()
    writer = ObjectWriter(transport, nothing)
    identifiers = [writer.put(BLOB, b"%d" % number) for number in range(100)]
    writer.finish()
    recording = RecordingTransport(transport)
    reader = reader_of(writer, recording)
    for identifier in identifiers:
        reader.get(identifier)

    assert recording.count("read") == 3  # header, table, payload


def test_a_claim_is_granted_once_when_it_is_shared() -> None:
    claims = Claims()
    identifier = object_id(BLOB, b"x")
    alone = [claims.claim(identifier), claims.claim(identifier)]
    claims.share()
    shared = [claims.claim(identifier), claims.claim(identifier)]

    assert alone == [True, True]
    assert shared == [True, False]


def test_a_crowded_table_grants_rather_than_loses() -> None:
    claims = Claims()
    claims.share()
    crowd = [ObjectId(b"same" + number.to_bytes(28, "big")) for number in range(10)]

    assert [claims.claim(identifier) for identifier in crowd] == [True] * 10
    assert claims.claim(crowd[0]) is False
