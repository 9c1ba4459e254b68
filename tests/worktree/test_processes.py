"""Shared writable mappings and open files of processes."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import pytest

from clew.worktree.processes import holders, shared_maps
from tests.kit.child import Child


@pytest.mark.parametrize(
    "protection",
    [
        mmap.PROT_READ | mmap.PROT_WRITE,
        mmap.PROT_WRITE,
        mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC,
    ],
)
def test_a_writable_shared_map_is_seen_whatever_else_it_allows(
    tmp_path: Path, protection: int
) -> None:
    (tmp_path / "file").write_bytes(b"x" * 4096)
    with open(tmp_path / "file", "r+b") as file, mmap.mmap(file.fileno(), 4096, prot=protection):
        assert (tmp_path / "file").stat().st_ino in shared_maps().inodes


def test_maps_that_cannot_change_the_file_are_not(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 4096)
    with open(tmp_path / "file", "r+b") as file:
        private = mmap.mmap(file.fileno(), 4096, flags=mmap.MAP_PRIVATE)
        reading = mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ)

        assert (tmp_path / "file").stat().st_ino not in shared_maps().inodes
        private.close()
        reading.close()


def test_a_process_that_holds_a_file_is_named_with_it(tmp_path: Path) -> None:
    for name in ("open", "mapped", "free"):
        (tmp_path / name).write_bytes(b"x" * 4096)
    with Child() as child:
        child.do(f"import mmap; a = open({str(tmp_path / 'open')!r}, 'rb')")
        child.do(f"b = open({str(tmp_path / 'mapped')!r}, 'r+b'); m = mmap.mmap(b.fileno(), 0)")
        child.do("b.close()")

        found = holders(os.fsencode(tmp_path), [b"open", b"mapped", b"free", b"never there"])

        pid = child.process.pid
    assert [(item.pid, item.path) for item in found] == [(pid, b"mapped"), (pid, b"open")]
    assert "python" in found[0].command


def test_we_do_not_tell_of_ourselves(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with open(tmp_path / "file"):
        assert holders(os.fsencode(tmp_path), [b"file"]) == []
