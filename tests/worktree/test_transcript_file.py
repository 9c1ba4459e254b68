"""A transcript is compared and replaced atomically, and never through a symlink."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.worktree.syscalls import RENAME_EXCHANGE
from clew.worktree.transcript_file import holds, replace, settle
from tests.kit.child import Child

TEMPORARY = b".clew-new"


def giving(*pieces: bytes) -> Callable[[], Iterator[bytes]]:
    return lambda: iter(pieces)


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
        replace(bytes(tmp_path / "fifo"), giving(b"x"), giving(), TEMPORARY)


def test_a_new_file_is_for_its_owner_alone_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    old.touch(0o644)
    for path in (new, old):
        replace(bytes(path), giving(b"a", b"b"), giving(), TEMPORARY)

    assert new.read_bytes() == old.read_bytes() == b"ab"
    assert [path.stat().st_mode & 0o777 for path in (new, old)] == [0o600, 0o644]
    assert sorted(os.listdir(tmp_path)) == ["new", "old"]


def test_what_fails_half_way_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def failing() -> Iterator[bytes]:
        yield b"new"
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        replace(bytes(path), failing, giving(b"old"), TEMPORARY)

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
        replace(bytes(tmp_path / "there" / "file"), giving(b"new"), giving(), TEMPORARY)

    assert (real / "file").read_bytes() == b"keep me"
    assert os.listdir(real) == ["file"]


def test_what_a_dead_process_left_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / ".clew-new").write_bytes(b"ne")  # half of the new one
    replace(bytes(tmp_path / "file"), giving(b"new"), giving(), TEMPORARY)

    assert os.listdir(tmp_path) == ["file"]


def test_an_old_one_that_a_dead_process_left_is_kept_if_it_holds_more(tmp_path: Path) -> None:
    """The process was killed between the exchange and the check of the old file."""
    path = tmp_path / "file"
    path.write_bytes(b"new")
    (tmp_path / ".clew-new").write_bytes(b"old, and a late line")
    kept = settle(bytes(path), (giving(b"new"), giving(b"old")), TEMPORARY)

    assert kept is not None
    assert Path(os.fsdecode(kept.path)).read_bytes() == b"old, and a late line"
    assert sorted(os.listdir(tmp_path)) == ["file", os.fsdecode(os.path.basename(kept.path))]


def test_what_was_expected_goes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    assert replace(bytes(path), giving(b"new"), giving(b"o", b"ld"), TEMPORARY) is None
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("old", [b"old, and more", b"o1d", b"old\n"])
def test_what_was_not_expected_is_kept_beside_it(tmp_path: Path, old: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(old)
    kept = replace(bytes(path), giving(b"new"), giving(b"old"), TEMPORARY)

    assert kept is not None
    assert kept.writers == ()
    assert Path(os.fsdecode(kept.path)).read_bytes() == old
    assert path.read_bytes() == b"new"


def test_one_that_somebody_has_open_is_kept_and_takes_what_is_still_written(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with Child() as child:
        child.do(f"file = open({str(path)!r}, 'ab', buffering=0)")
        kept = replace(bytes(path), giving(b"new"), giving(b"old"), TEMPORARY)
        child.do("file.write(b', late')")
        pid = child.process.pid

    assert kept is not None
    assert f"(process {pid})" in kept.writers[0]
    assert Path(os.fsdecode(kept.path)).read_bytes() == b"old, late"
    assert path.read_bytes() == b"new"


def test_a_reader_is_no_hindrance(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with Child() as child:
        child.do(f"file = open({str(path)!r}, 'rb')")

        assert replace(bytes(path), giving(b"new"), giving(b"old"), TEMPORARY) is None


@pytest.mark.refuses("renameat2", errno.EINVAL, 4, RENAME_EXCHANGE)
def test_where_files_cannot_be_exchanged_nothing_is_lost_either(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old, and more")
    kept = replace(bytes(path), giving(b"new"), giving(b"old"), TEMPORARY)
    again = replace(bytes(path), giving(b"newer"), giving(b"new"), TEMPORARY)

    assert kept is not None
    assert Path(os.fsdecode(kept.path)).read_bytes() == b"old, and more"
    assert again is None
    assert path.read_bytes() == b"newer"
