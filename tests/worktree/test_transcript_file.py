"""A transcript is compared and replaced as a whole, and never through a symlink."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.worktree.transcript_file import holds, replace

TEMPORARY = b".clew-new"


def test_a_file_holds_exactly_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one two")

    assert holds(bytes(path), [b"one", b" two"], 7)
    assert not holds(bytes(path), [b"one", b" tw0"], 7)
    assert not holds(bytes(path), [b"one"], 3)
    assert not holds(bytes(path), [b"one two three"], 13)


def test_what_is_not_there_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()

    assert holds(bytes(tmp_path / "gone"), [], 0)
    assert not holds(bytes(tmp_path / "gone"), [b"x"], 1)
    assert not holds(bytes(tmp_path / "directory"), [], 0)


def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")

    assert not holds(bytes(tmp_path / "fifo"), [b"x"], 1)
    with pytest.raises(OSError, match="Not a file"):
        replace(bytes(tmp_path / "fifo"), [b"x"], TEMPORARY)


def test_a_new_file_is_for_its_owner_alone_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    old.touch(0o644)
    for path in (new, old):
        replace(bytes(path), [b"a", b"b"], TEMPORARY)

    assert new.read_bytes() == old.read_bytes() == b"ab"
    assert [path.stat().st_mode & 0o777 for path in (new, old)] == [0o600, 0o644]
    assert sorted(os.listdir(tmp_path)) == ["new", "old"]


def test_what_fails_half_way_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def failing() -> object:
        yield b"new"
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        replace(bytes(path), failing(), TEMPORARY)  # type: ignore[arg-type]

    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("link", ["file", "directory"])
def test_a_symlink_anywhere_is_refused(tmp_path: Path, link: str) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "file").write_bytes(b"keep me")
    if link == "directory":
        (tmp_path / "there").symlink_to(real)
    else:
        (tmp_path / "there").mkdir()
        (tmp_path / "there" / "file").symlink_to(real / "file")
    with pytest.raises(OSError, match="symbolic links"):
        replace(bytes(tmp_path / "there" / "file"), [b"new"], TEMPORARY)

    assert (real / "file").read_bytes() == b"keep me"
    assert os.listdir(real) == ["file"]


def test_what_a_dead_process_left_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / ".clew-new").write_bytes(b"half")
    replace(bytes(tmp_path / "file"), [b"new"], TEMPORARY)

    assert os.listdir(tmp_path) == ["file"]
