"""Cut points: those of the format, whatever the installed library gives."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.model.content import CHUNK_SIZES, Token
from clew.model.ids import ObjectType, object_id
from clew.worktree import chunker, cut_points
from tests.kit.running import Clew

SMALLEST, AVERAGE, LARGEST = CHUNK_SIZES
OTHER_LIBRARY = """
class FastCDC:
    def __init__(self, average, *, min_size, max_size):
        self.length = average

    def cut_buf(self, buffer):
        for offset in range(0, len(buffer), self.length):
            yield Chunk(offset, min(self.length, len(buffer) - offset))


class Chunk:
    def __init__(self, offset, length):
        self.offset, self.length = offset, length
"""


def even_lengths(buffer: bytes) -> Iterator[int]:
    for start in range(0, len(buffer), AVERAGE):
        yield min(AVERAGE, len(buffer) - start)


def endless(buffer: bytes) -> Iterator[int]:
    while True:
        yield len(buffer)


def another_interface(buffer: bytes) -> Iterator[int]:
    raise TypeError("unexpected keyword argument 'min_size'")


def one_cut_later(buffer: bytes) -> Iterator[int]:
    *lengths, last = cut_points.python_lengths(buffer)
    yield from (*lengths, last - 1, 1)


def tokens_of(path: Path, cut: cut_points.CutLengths | None = None) -> list[Token]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return list(
            chunker.tokens(descriptor, lambda piece: object_id(ObjectType.BLOB, piece), cut=cut)
        )
    finally:
        os.close(descriptor)


def test_the_installed_library_is_used() -> None:
    assert cut_points.selected() is cut_points.library_lengths


@pytest.mark.parametrize("library", [even_lengths, endless, another_interface, one_cut_later])
def test_a_library_with_other_cuts_gives_the_same_chunk_ids(
    tmp_path: Path, library: cut_points.CutLengths
) -> None:
    (tmp_path / "file").write_bytes(random.Random(6).randbytes(2_500_001))

    found = tokens_of(tmp_path / "file", cut_points.select(library))

    assert found == tokens_of(tmp_path / "file")
    assert len(found) > 3


@pytest.mark.parametrize(
    "size",
    [
        *(0, 1, SMALLEST - 1, SMALLEST, SMALLEST + 1, SMALLEST + 2),
        *(AVERAGE - 1, AVERAGE, AVERAGE + 1, LARGEST, LARGEST + 1, 1_555_555),
    ],
)
def test_python_cuts_as_the_library(size: int) -> None:
    noise = random.Random(size).randbytes(size)

    assert list(cut_points.python_lengths(noise)) == list(cut_points.library_lengths(noise))


@pytest.mark.parametrize("size", [LARGEST - 1, LARGEST, LARGEST + 1])
def test_python_cuts_bytes_without_a_cut_point_at_the_largest_size(size: int) -> None:
    content = b"\1" * size

    assert list(cut_points.python_lengths(content)) == list(cut_points.library_lengths(content))


def test_a_save_with_another_library_gives_the_same_state_and_doctor_reports_it(
    tmp_path: Path, clew: Clew
) -> None:
    (clew.workspace / "large").write_bytes(random.Random(7).randbytes(1_500_000))
    first = clew.json("save", "first")["checkpoint"]
    assert clew.run("doctor").code == 0
    (tmp_path / "other").mkdir()
    (tmp_path / "other/pyfastcdc.py").write_text(OTHER_LIBRARY)
    path = os.pathsep.join([str(tmp_path / "other"), *sys.path])
    other = Clew(clew.workspace, clew.store, extra={"PYTHONPATH": path})
    (clew.workspace / "large").touch()

    second = other.json("save", "second")["checkpoint"]
    checkup = other.run("doctor")

    assert second["id"] != first["id"], "the file was read again"
    assert second["state"] == first["state"]
    assert checkup.code == 1
    assert "pyfastcdc cannot be used, so large files are saved slowly" in checkup.out
