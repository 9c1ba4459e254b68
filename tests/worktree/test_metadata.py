"""Metadata is applied in the only order that works, and refusals are reported."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.model.entry import FLAG_IMMUTABLE, FLAG_NODUMP, Entry
from clew.model.small_objects import decode_xattrs
from clew.worktree.metadata import MetadataWriter, set_flags
from clew.worktree.read import EntryReader
from clew.worktree.root import Root
from clew.worktree.syscalls import get_inode_flags
from tests.operations.forks.forked import NOBODY, forked, needs_root
from tests.worktree.sink import Sink

MOMENT = 1_600_000_000_123_456_789


class Scribe:
    """Reads entries from one directory and writes them to names in it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.sink = Sink()
        self.root = Root(os.fsencode(place))
        self.directory = self.root.descriptor
        self.reader = EntryReader(self.root, self.sink.put)
        self.writer = MetadataWriter(lambda key: decode_xattrs(self.sink.objects[key]))  # type: ignore[index]
        self.problems: list[str] = []

    def read(self, name: str) -> Entry:
        return self.reader.read(
            self.directory, os.fsencode(name), os.lstat(self.place / name)
        ).entry

    def write(self, name: str, entry: Entry) -> None:
        self.writer.apply(self.directory, os.fsencode(name), entry, self.problems.append)

    def differs(self, name: str, entry: Entry) -> bool:
        return not self.read(name).same_metadata(entry, mtimes=True)


@pytest.fixture
def scribe(tmp_path: Path) -> Iterator[Scribe]:
    scribe = Scribe(tmp_path)
    yield scribe
    scribe.root.close()


def _run(*words: object) -> None:
    subprocess.run([str(word) for word in words], check=True, capture_output=True)


@needs_root
def test_owner_setuid_capability_and_acl_survive_together(scribe: Scribe, tmp_path: Path) -> None:
    (tmp_path / "model").write_text("x")
    os.chown(tmp_path / "model", 4321, 1234)
    _run("setfacl", "-m", "u:77:rwx,g:88:r,m::rx", tmp_path / "model")
    (tmp_path / "model").chmod(0o6754)
    _run("setcap", "cap_net_raw+ep", tmp_path / "model")
    os.setxattr(tmp_path / "model", "user.note", b"\x00\xff")
    os.utime(tmp_path / "model", ns=(0, MOMENT))
    model = scribe.read("model")
    assert (model.mode, model.uid) == (0o6754, 4321)
    (tmp_path / "copy").write_text("x")
    os.setxattr(tmp_path / "copy", "user.unwanted", b"1")

    scribe.write("copy", model)

    assert scribe.problems == []
    assert not scribe.differs("copy", model)
    assert sorted(os.listxattr(tmp_path / "copy")) == [
        "security.capability", "system.posix_acl_access", "user.note",
    ]  # fmt: skip


@needs_root
def test_an_acl_that_is_not_wanted_goes(scribe: Scribe, tmp_path: Path) -> None:
    (tmp_path / "model").write_text("x")
    (tmp_path / "model").chmod(0o640)
    (tmp_path / "copy").write_text("x")
    _run("setfacl", "-m", "u:77:rwx", tmp_path / "copy")

    scribe.write("copy", scribe.read("model"))

    assert os.listxattr(tmp_path / "copy") == []
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o640


@needs_root
def test_a_symlink_gets_its_own_metadata_and_its_target_none(
    scribe: Scribe, tmp_path: Path
) -> None:
    (tmp_path / "target").write_text("x")
    for name in ("model", "copy"):
        (tmp_path / name).symlink_to("target")
    os.chown(tmp_path / "model", 77, 88, follow_symlinks=False)
    os.utime(tmp_path / "model", ns=(0, MOMENT), follow_symlinks=False)
    model, before = scribe.read("model"), scribe.read("target")

    scribe.write("copy", model)

    assert scribe.problems == []
    assert not scribe.differs("copy", model)
    assert not scribe.differs("target", before)


@needs_root
def test_a_file_without_any_permission_can_be_given_metadata(
    scribe: Scribe, tmp_path: Path
) -> None:
    (tmp_path / "copy").write_text("x")
    (tmp_path / "copy").chmod(0o000)
    (tmp_path / "fifo").write_text("x")
    model = scribe.read("copy")._replace(mode=0o200, mtime_ns=MOMENT)

    scribe.write("copy", model)

    assert (tmp_path / "copy").stat().st_mtime_ns == MOMENT


def test_a_fifo_is_given_metadata_without_being_opened(scribe: Scribe, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo", 0o600)
    model = scribe.read("fifo")._replace(mode=0o640, mtime_ns=MOMENT)

    scribe.write("fifo", model)

    assert scribe.problems == []
    assert not scribe.differs("fifo", model)


def test_times_before_1970_are_given_back(scribe: Scribe, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    model = scribe.read("file")._replace(mtime_ns=-1)

    scribe.write("file", model)

    assert (tmp_path / "file").stat().st_mtime_ns == -1


@needs_root
def test_what_only_root_may_set_is_reported_and_the_rest_is_done(open_place: Path) -> None:
    def give_away() -> tuple[list[str], int, int]:
        scribe = Scribe(open_place)
        (open_place / "file").write_text("x")
        model = scribe.read("file")._replace(uid=0, gid=0, mode=0o640, mtime_ns=MOMENT)
        scribe.write("file", model)
        found = (open_place / "file").stat()
        return scribe.problems, found.st_mode & 0o7777, found.st_mtime_ns

    problems, mode, mtime = forked(give_away, uid=NOBODY)

    assert problems == ["owner: Operation not permitted"]
    assert (mode, mtime) == (0o640, MOMENT)


def test_only_the_flags_asked_for_are_changed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    descriptor = os.open(tmp_path / "file", os.O_RDONLY)
    before = get_inode_flags(descriptor)
    if before is None:
        pytest.skip("this filesystem has no inode flags")
    problems: list[str] = []

    set_flags(descriptor, FLAG_NODUMP | FLAG_IMMUTABLE, FLAG_NODUMP, problems.append)
    after = get_inode_flags(descriptor)
    set_flags(descriptor, 0, ~0, problems.append)
    cleared = get_inode_flags(descriptor)
    os.close(descriptor)

    assert problems == []
    assert after == before | FLAG_NODUMP
    assert cleared == before & ~FLAG_NODUMP
