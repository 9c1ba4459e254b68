from __future__ import annotations

import os
import random
from pathlib import Path

from clew.model.content import Chunk, Token, Zeros, encode_chunklist
from clew.model.content_reader import BytesReader, StoredReader
from clew.model.ids import ObjectId, ObjectType, object_id
from clew.operations.history.story_worker import LiveReader


class Objects:
    """A store in a dictionary, which counts what is read."""

    def __init__(self) -> None:
        self.found: dict[ObjectId, bytes] = {}
        self.reads = 0

    def put(self, content: bytes, kind: int = ObjectType.BLOB) -> ObjectId:
        identifier = object_id(kind, content)
        self.found[identifier] = content
        return identifier

    def get(self, identifier: ObjectId) -> bytes:
        self.reads += 1
        return self.found[identifier]

    def file(self, *parts: bytes | int) -> tuple[ObjectId, bytes]:
        """Return a chunklist of blobs and zeros, and its content."""
        tokens: list[Token] = [
            Zeros(part) if isinstance(part, int) else Chunk(len(part), self.put(part))
            for part in parts
        ]
        whole = b"".join(bytes(part) if isinstance(part, int) else part for part in parts)
        return self.put(encode_chunklist(tokens), ObjectType.CHUNKLIST), whole


def test_any_range_of_a_stored_file_is_read() -> None:
    chance = random.Random(5)
    objects = Objects()
    content, whole = objects.file(
        chance.randbytes(700_000), 131_072, chance.randbytes(300_001), chance.randbytes(65_536)
    )
    reader = StoredReader(objects.get, content, len(whole))

    for _ in range(500):
        at, length = chance.randrange(len(whole) + 10), chance.randrange(400_000)
        assert reader.read(at, length) == whole[at : at + length]
    assert reader.read(-1, 10) == b""


def test_a_chunk_is_fetched_once_and_only_if_it_is_needed() -> None:
    objects = Objects()
    parts = [bytes([number]) * (1 << 20) for number in range(1, 40)]
    content, whole = objects.file(*parts)
    reader = StoredReader(objects.get, content, len(whole))
    objects.reads = 0

    assert reader.read(5 << 20, 10) == reader.read((5 << 20) + 99, 10)
    assert objects.reads == 1
    for at in range(0, len(whole), 1 << 20):
        reader.read(at, 1)
    reader.read(0, 1)
    assert objects.reads == len(parts) + 1  # the oldest was forgotten, for the sake of memory


def test_the_same_runs_mean_the_same_bytes() -> None:
    objects = Objects()
    same, one, other = b"s" * 900_000, b"1" * 400_000, b"2" * 400_000
    old, new = (StoredReader(objects.get, content, len(whole)) for content, whole in (
        objects.file(same, one, 65_536), objects.file(same, other, 65_536)
    ))  # fmt: skip

    assert old.runs(4096, 4096) == new.runs(4096, 4096) != ()
    assert old.runs(1_300_000, 10) == new.runs(1_300_000, 10)
    assert old.runs(899_000, 2000) != new.runs(899_000, 2000)
    assert old.runs(4096, 4096) != old.runs(8192, 4096)


def test_small_files_memory_and_the_disk_are_read_alike(tmp_path: Path) -> None:
    objects = Objects()
    content = os.urandom(5000)
    path = tmp_path / "file"
    path.write_bytes(content)

    for reader in (
        StoredReader(objects.get, objects.put(content), len(content)),
        BytesReader(content),
        LiveReader(os.open(path, os.O_RDONLY)),
    ):
        assert reader.size == 5000
        assert reader.read(100, 50) == content[100:150]
        assert reader.read(4990, 50) == content[4990:]
        assert reader.read(6000, 1) == reader.read(-5, 10) == b""
