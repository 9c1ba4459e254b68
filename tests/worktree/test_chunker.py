"""Chunking of large files: the same bytes give the same tokens, with and without holes."""

from __future__ import annotations

import errno
import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyfastcdc import FastCDC

from clew.model.content import BLOCK, CHUNK_SIZES, Chunk, Token, Zeros, encode_chunklist
from clew.model.ids import ObjectId, ObjectType, object_id
from clew.worktree import chunker
from tests.kit.refusing import Refusal, while_refused

MIB = 1 << 20


class Cut:
    """The tokens of a file, and the bytes that they represent."""

    def __init__(self, path: Path, window: int = chunker.WINDOW) -> None:
        self.blobs: dict[ObjectId, bytes] = {}
        descriptor = os.open(path, os.O_RDONLY)
        try:
            self.tokens: list[Token] = list(chunker.tokens(descriptor, self._put, window=window))
        finally:
            os.close(descriptor)

    @property
    def content(self) -> bytes:
        return b"".join(
            self.blobs[token.blob] if isinstance(token, Chunk) else bytes(token.length)
            for token in self.tokens
        )

    def _put(self, content: bytes) -> ObjectId:
        identifier = object_id(ObjectType.BLOB, content)
        self.blobs[identifier] = content
        return identifier


def test_the_cut_points_are_part_of_the_format(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(random.Random(2026).randbytes(4 * MIB))

    cut = Cut(tmp_path / "file")

    assert [token.length for token in cut.tokens] == [
        374564, 349106, 150217, 685758, 175531, 331439,
        312056, 508011, 143389, 409913, 348400, 405920,
    ]  # fmt: skip
    first = cut.tokens[0]
    assert isinstance(first, Chunk)
    assert first.blob.hex() == "29bfefa25004c7e34068d1c3086edaa3d880ffdf0250e8f0ae26c2e1bb0bb4ab"
    assert object_id(ObjectType.CHUNKLIST, encode_chunklist(cut.tokens)).hex() == (
        "7b1df96aada4bd599137b7525e9064867402598d3004d8abae212af4e834496c"
    )


def test_holes_zeros_and_preallocation_give_the_same_tokens(tmp_path: Path) -> None:
    noise = random.Random(1)
    pieces = [(0, 70_000), (3 * MIB + 5, 200_000), (9 * MIB - 10, 20)]
    contents = [noise.randbytes(length) for _, length in pieces]
    size = 9 * MIB + 77
    sparse, written, preallocated = (tmp_path / name for name in ("sparse", "written", "reserved"))
    written.write_bytes(bytes(size))
    with open(preallocated, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)
    with open(sparse, "wb") as file:
        file.truncate(size)
    for path in (sparse, written, preallocated):
        with open(path, "r+b") as file:
            for (at, _), content in zip(pieces, contents, strict=True):
                file.seek(at)
                file.write(content)
    assert sparse.stat().st_blocks < written.stat().st_blocks

    cuts = [Cut(path) for path in (sparse, written, preallocated)]

    assert cuts[0].tokens == cuts[1].tokens == cuts[2].tokens
    assert cuts[0].content == written.read_bytes()


@pytest.mark.parametrize("size", [2 * MIB, 2 * MIB + 1, 2 * MIB - 1, 8 * MIB, 8 * MIB + BLOCK])
def test_a_file_of_nothing_but_zeros_is_one_token(tmp_path: Path, size: int) -> None:
    with open(tmp_path / "file", "wb") as file:
        file.truncate(size)

    assert Cut(tmp_path / "file").tokens == [Zeros(size)]


def test_a_run_of_zeros_across_windows_is_one_token(tmp_path: Path) -> None:
    noise = random.Random(2)
    start, end = 7 * MIB + BLOCK, 17 * MIB
    content = noise.randbytes(start) + bytes(end - start) + noise.randbytes(BLOCK + 3)
    (tmp_path / "file").write_bytes(content)

    cut = Cut(tmp_path / "file")

    assert [token for token in cut.tokens if isinstance(token, Zeros)] == [Zeros(end - start)]
    assert cut.content == content


def test_bytes_across_windows_are_cut_as_if_read_at_once(tmp_path: Path) -> None:
    content = random.Random(3).randbytes(20 * MIB + 12_345)
    (tmp_path / "file").write_bytes(content)
    smallest, average, largest = CHUNK_SIZES
    whole = FastCDC(average, min_size=smallest, max_size=largest).cut_buf(content)

    lengths = [token.length for token in Cut(tmp_path / "file").tokens]

    assert lengths == [chunk.length for chunk in whole]


def test_a_filesystem_that_knows_no_holes_gives_the_same_tokens(
    tmp_path: Path,
) -> None:
    with open(tmp_path / "file", "wb") as file:
        file.write(random.Random(4).randbytes(BLOCK))
        file.truncate(3 * MIB)
    with_holes = Cut(tmp_path / "file").tokens

    without = while_refused(
        lambda: Cut(tmp_path / "file").tokens,
        *(Refusal("lseek", errno.EINVAL, 2, whence) for whence in (os.SEEK_DATA, os.SEEK_HOLE)),
    )

    assert without == with_holes


def test_a_file_that_grows_meanwhile_gets_no_zeros_it_never_had(tmp_path: Path) -> None:
    """A log is appended to between the last read and the check of its size."""
    path = tmp_path / "log"
    path.write_bytes(random.Random(5).randbytes(2 * MIB) + bytes(BLOCK + 5))
    grown: list[int] = []

    def put(content: bytes) -> ObjectId:
        if not grown:
            with open(path, "ab") as file:
                grown.append(file.write(b"x" * 100))
        return object_id(ObjectType.BLOB, content)

    descriptor = os.open(path, os.O_RDONLY)
    found = list(chunker.tokens(descriptor, put))
    os.close(descriptor)

    assert found[-1] == Zeros(BLOCK + 5)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_tokens_depend_on_neither_windows_nor_holes(data: st.DataObject) -> None:
    runs = data.draw(st.lists(st.tuples(st.booleans(), st.integers(1, 3 * BLOCK)), max_size=6))
    noise = random.Random(data.draw(st.integers(0, 99)))
    content = b"".join(
        bytes(length) if is_zero else noise.randbytes(length) for is_zero, length in runs
    )
    window = data.draw(st.integers(1, 4)) * BLOCK
    with tempfile.TemporaryDirectory() as place:
        dense, sparse = Path(place, "dense"), Path(place, "sparse")
        dense.write_bytes(content)
        _write_with_holes(sparse, runs, content)
        whole = Cut(dense)
        windowed, with_holes = Cut(dense, window), Cut(sparse, window)

    assert whole.tokens == windowed.tokens == with_holes.tokens
    assert whole.content == content
    assert _zero_runs(whole.tokens) == list(_expected_zero_runs(content))


def _write_with_holes(path: Path, runs: list[tuple[bool, int]], content: bytes) -> None:
    at = 0
    with open(path, "wb") as file:
        for is_zero, length in runs:
            if not is_zero:
                file.seek(at)
                file.write(content[at : at + length])
            at += length
        file.truncate(at)


def _zero_runs(tokens: list[Token]) -> list[tuple[int, int]]:
    found, at = [], 0
    for token in tokens:
        if isinstance(token, Zeros):
            found.append((at, token.length))
        at += token.length
    return found


def _expected_zero_runs(content: bytes) -> Iterator[tuple[int, int]]:
    """Implement docs/format.md, 3.1, in the plainest way."""
    start: int | None = None
    for at in range(0, len(content), BLOCK):
        if any(content[at : at + BLOCK]):
            if start is not None:
                yield start, at - start
            start = None
        elif start is None:
            start = at
    if start is not None:
        yield start, len(content) - start
