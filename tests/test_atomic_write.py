"""Atomic writes: the order of writes, syncs and renames, and what failures leave behind."""

from __future__ import annotations

import errno
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.atomic_write import rename_synced, replace_file, write_new
from clew.worktree.boundaries import is_stage_name

CONTENT = b"0123456789" * 1_000


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The system calls of a write, in order."""
    found: list[str] = []

    def record(name: str) -> None:
        real = getattr(os, name)

        def recorded(*arguments: Any, **options: Any) -> Any:
            found.append(name)
            return real(*arguments, **options)

        monkeypatch.setattr(os, name, recorded)

    for name in ("write", "fdatasync", "rename", "fsync"):
        record(name)
    return found


@pytest.fixture
def small_files() -> Iterator[None]:
    """A limit on the size of files, which fails a write in the middle as a full disk does."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)


def test_data_is_synced_before_the_name_and_the_name_before_the_return(
    tmp_path: Path, calls: list[str]
) -> None:
    replace_file(str(tmp_path / "file"), [b"a", b"", b"bc"], sync=True)

    assert calls == ["write", "write", "fdatasync", "rename", "fsync"]
    assert (tmp_path / "file").read_bytes() == b"abc"


def test_without_sync_nothing_waits_for_the_disk(tmp_path: Path, calls: list[str]) -> None:
    replace_file(str(tmp_path / "file"), [b"a"])

    assert calls == ["write", "rename"]


def test_the_directory_of_the_new_name_is_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "target").mkdir()
    synced: list[str] = []
    monkeypatch.setattr(
        os, "fsync", lambda number: synced.append(os.readlink(f"/proc/self/fd/{number}"))
    )
    target = str(tmp_path / "target" / "file")
    replace_file(target, [b"x"], sync=True, temporary=str(tmp_path / "new"))
    write_new(str(tmp_path / "new"), [b"x"], sync=True)
    rename_synced(str(tmp_path / "new"), target)

    assert synced == [str(tmp_path / "target")] * 2


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda number, view: real(number, view[:3]))
    replace_file(str(tmp_path / "file"), [b"0123456789"])

    assert (tmp_path / "file").read_bytes() == b"0123456789"


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, small_files: None
) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        replace_file(str(tmp_path / "file"), [CONTENT])

    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_a_failed_rename_removes_the_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(IsADirectoryError):
        replace_file(str(tmp_path / "file"), [b"new"])

    assert os.listdir(tmp_path) == ["file"]


def test_an_interrupt_removes_the_temporary_file(tmp_path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace_file(str(tmp_path / "file"), parts())

    assert os.listdir(tmp_path) == []


def test_a_link_at_the_target_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"theirs")
    (tmp_path / "file").symlink_to("victim")
    replace_file(str(tmp_path / "file"), [b"ours"])

    assert (tmp_path / "victim").read_bytes() == b"theirs"
    assert not (tmp_path / "file").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"ours"


@pytest.mark.parametrize("target", ["victim", "missing"])
def test_a_link_at_the_temporary_name_is_refused_and_stays(tmp_path: Path, target: str) -> None:
    (tmp_path / "victim").write_bytes(b"theirs")
    (tmp_path / "new").symlink_to(target)
    with pytest.raises(FileExistsError):
        replace_file(str(tmp_path / "file"), [b"ours"], temporary=str(tmp_path / "new"))

    assert (tmp_path / "victim").read_bytes() == b"theirs"
    assert sorted(os.listdir(tmp_path)) == ["new", "victim"]


def test_two_writers_at_once_leave_one_of_the_two_contents(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    second = [b"second" * 1_000]

    def parts() -> Iterator[bytes]:
        yield b"first"
        replace_file(path, second)  # another process, in the middle of the first write
        assert (tmp_path / "file").read_bytes() == second[0]
        yield b"first"

    replace_file(path, parts())

    assert (tmp_path / "file").read_bytes() == b"firstfirst"
    assert os.listdir(tmp_path) == ["file"]


def test_two_processes_that_write_leave_a_whole_file(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    contents = [letter * 50_000 for letter in (b"a", b"b")]
    children = []
    for content in contents:
        child = os.fork()
        if not child:
            for _ in range(100):
                replace_file(path, [content])
            os._exit(0)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]

    assert codes == [0, 0]
    assert (tmp_path / "file").read_bytes() in contents
    assert os.listdir(tmp_path) == ["file"]


def test_a_file_that_exists_is_not_overwritten_by_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        write_new(str(tmp_path / "file"), [b"new"])

    assert (tmp_path / "file").read_bytes() == b"old"


@pytest.mark.parametrize("mode", [0o400, 0o600, 0o640])
def test_the_mode_is_as_given_and_not_that_of_the_old_file(tmp_path: Path, mode: int) -> None:
    (tmp_path / "file").touch(0o666)
    replace_file(str(tmp_path / "file"), [b"x"], mode)

    assert (tmp_path / "file").stat().st_mode & 0o777 == mode


def test_the_mode_is_private_by_default(tmp_path: Path) -> None:
    replace_file(str(tmp_path / "file"), [b"x"])

    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


def test_a_name_is_relative_to_the_open_directory(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    directory = os.open(tmp_path / "here", os.O_RDONLY | os.O_DIRECTORY)
    try:
        (tmp_path / "here").rename(tmp_path / "moved")
        replace_file(b"file\xff", [b"x"], sync=True, dir_fd=directory)
    finally:
        os.close(directory)

    assert os.listdir(os.fsencode(tmp_path / "moved")) == [b"file\xff"]


def test_what_prepares_the_file_can_refuse_it(tmp_path: Path) -> None:
    def refuse(descriptor: int) -> None:
        assert os.fstat(descriptor).st_size == len(b"new")
        raise PermissionError

    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(PermissionError):
        replace_file(str(tmp_path / "file"), [b"new"], prepare=refuse)

    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_the_temporary_file_has_a_name_that_scans_skip(tmp_path: Path) -> None:
    names: list[str] = []
    replace_file(
        str(tmp_path / "file"), [b"x"], prepare=lambda _: names.extend(os.listdir(tmp_path))
    )

    assert [is_stage_name(os.fsencode(name)) for name in names] == [True]
