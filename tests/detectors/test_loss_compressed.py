from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable

import pytest

from clew.detectors.losses.compressed import Compressed
from tests.kit.losses import alarms, tell
from tests.kit.moments import facts

TABLES = {
    f"exports/2023-{month:02}.csv": b"".join(b"%d,%d\n" % (row, month) for row in range(900))
    for month in range(1, 13)
}


@pytest.mark.parametrize(
    ("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)]
)
def test_compressed_files_of_a_directory_are_one_line(
    suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    packed = {path + suffix: pack(content) for path, content in TABLES.items()}

    told, back = tell(TABLES, packed), tell(packed, TABLES)

    assert told.headline.startswith(f"exports: 12 files compressed ({suffix[1:]}, ")
    assert back.headline.startswith(f"exports: 12 files decompressed ({suffix[1:]}, ")
    assert len(told.lines) == len(back.lines) == 1
    assert {fact.severity for fact in (*told.facts, *back.facts)} == {"none"}


def test_one_compressed_file_is_named() -> None:
    content = b"id,name\n" * 500

    (fact,) = facts(Compressed(), {"a.csv": content}, {"a.csv.gz": gzip.compress(content)})

    assert (fact.subject, fact.marks[0][:16]) == ("a.csv", "compressed (gz, ")


def test_a_compressed_file_of_another_size_is_another_file() -> None:
    old = {"exports/a.csv": b"id,name\n" * 900}
    new = {"exports/a.csv.gz": gzip.compress(b"id,name\n" * 20)}

    assert facts(Compressed(), old, new) == []


@pytest.mark.parametrize("content", [b"x", b"\x1f\x8b", b"", b"PK"])
def test_a_file_that_is_not_compressed_replaces_nothing(content: bytes) -> None:
    for suffix in (".gz", ".xz", ".zst"):
        assert facts(Compressed(), {"a.csv": b"1,2\n" * 90}, {f"a.csv{suffix}": content}) == []


def test_a_file_that_is_still_there_was_not_replaced() -> None:
    content = b"id,name\n" * 500
    both = {"a.csv": content, "a.csv.gz": gzip.compress(content)}

    assert facts(Compressed(), {"a.csv": content}, both) == []
    assert facts(Compressed(), both, {"a.csv": content}) == []


def test_one_file_that_was_not_compressed_is_still_lost() -> None:
    packed = {path + ".gz": gzip.compress(content) for path, content in TABLES.items()}
    del packed["exports/2023-07.csv.gz"]

    assert alarms(TABLES, packed) == [("loss.deleted", "file", "exports/2023-07.csv")]
