"""The entry reader reads completely, never blocks, and reports unstable files."""

from __future__ import annotations

import errno
import os
import random
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.model.content import BLOB_LIMIT, BLOCK
from clew.model.entry import FLAG_NODUMP, EntryKind, Reason
from clew.model.ids import ObjectType
from clew.model.small_objects import decode_xattrs
from clew.model.tree import encode_entry
from clew.worktree.read import TRIES, EntryReader, ReadEntry
from clew.worktree.root import Root
from clew.worktree.syscalls import get_inode_flags, set_inode_flags
from tests.operations.forks.forked import needs_root
from tests.worktree.sink import Hook, Sink, scan_into

MIB = 1 << 20


class Reader:
    """An entry reader on one directory, with its sink."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.sink = Sink()
        self.root = Root(os.fsencode(place))
        self.directory = self.root.descriptor
        self.reader = EntryReader(self.root, self.sink.put)

    def stat(self, name: str) -> os.stat_result:
        return os.lstat(self.place / name)

    def read(self, name: str, found: os.stat_result | None = None) -> ReadEntry:
        return self.reader.read(self.directory, os.fsencode(name), found or self.stat(name))

    def read_plain(self, name: str) -> bytes | None:
        return self.reader.read_plain(self.directory, os.fsencode(name), self.stat(name))

    def content(self, result: ReadEntry) -> bytes:
        return self.sink.content(result.entry)


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    reader = Reader(tmp_path)
    yield reader
    reader.root.close()


@pytest.mark.parametrize(
    "size",
    [around + more for around in (1, BLOCK, MIB, MIB + BLOCK) for more in (-1, 0, 1)],
)
def test_a_file_of_any_size_is_read_whole(reader: Reader, tmp_path: Path, size: int) -> None:
    content = random.Random(size).randbytes(size)
    (tmp_path / "file").write_bytes(content)

    result = reader.read("file")

    assert result.stable
    assert reader.content(result) == content
    kinds = {ObjectType.BLOB} if size <= BLOB_LIMIT else {ObjectType.BLOB, ObjectType.CHUNKLIST}
    assert set(reader.sink.put_kinds) == kinds


def test_the_quick_way_gives_the_same_entry_as_the_thorough_one(
    reader: Reader, tmp_path: Path
) -> None:
    (tmp_path / "file \udcff").write_text("nothing special")

    plain = reader.read_plain("file \udcff")

    assert plain == encode_entry(reader.read("file \udcff").entry)


def test_the_quick_way_leaves_what_is_special_to_the_thorough_one(
    reader: Reader, tmp_path: Path
) -> None:
    for name in ("xattr", "flag", "database", "large"):
        (tmp_path / name).write_text("x")
    os.setxattr(tmp_path / "xattr", "user.note", b"1")
    _set_flags(tmp_path / "flag", FLAG_NODUMP)
    (tmp_path / "database").write_bytes(b"SQLite format 3\x00" + bytes(84))
    os.truncate(tmp_path / "large", BLOB_LIMIT + 1)
    (tmp_path / "link").symlink_to("xattr")

    names = ("xattr", "flag", "database", "large", "link")

    assert [reader.read_plain(name) for name in names] == [None] * 5


# A file that changes during the read: the result of `stat` is outdated.


def test_a_file_that_shrank_is_read_again(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(3 * MIB))
    before = reader.stat("file")
    (tmp_path / "file").write_bytes(b"ten bytes.")

    result = reader.read("file", before)

    assert result.stable
    assert reader.content(result) == b"ten bytes."


def test_a_file_that_grew_past_a_blob_is_read_again(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"small")
    before = reader.stat("file")
    content = random.Random(8).randbytes(MIB + 99)
    (tmp_path / "file").write_bytes(content)

    result = reader.read("file", before)

    assert result.stable
    assert reader.content(result) == content


@pytest.mark.parametrize("size", [10, 2 * MIB])
def test_a_file_that_never_holds_still_is_kept_as_unstable(
    reader: Reader, tmp_path: Path, size: int
) -> None:
    (tmp_path / "file").write_bytes(b"x" * size)
    tries: list[int] = []

    def append(kind: int, _: bytes) -> None:
        if kind == ObjectType.BLOB:
            tries.append(kind)
            with open(tmp_path / "file", "ab") as file:
                file.write(b"more")

    reader.sink.hook = append

    result = reader.read("file")

    assert not result.stable
    assert len(tries) >= TRIES
    assert reader.content(result).startswith(b"x" * 10)


def test_a_file_that_grows_faster_than_it_is_read_is_read_to_the_size_it_had(
    reader: Reader, tmp_path: Path
) -> None:
    size = 2 * MIB
    (tmp_path / "file").write_bytes(random.Random(8).randbytes(size))

    def grow(kind: int, content: bytes) -> None:
        # By more than was just read, up to a size that only an endless reader would reach.
        if kind == ObjectType.BLOB and (tmp_path / "file").stat().st_size < 96 * MIB:
            with open(tmp_path / "file", "ab") as file:
                file.write(content + content)

    reader.sink.hook = grow

    result = reader.read("file")

    grown = (tmp_path / "file").read_bytes()
    assert not result.stable
    assert size <= result.entry.size < len(grown) < 96 * MIB
    assert grown.startswith(reader.content(result))


def test_a_file_replaced_by_a_symlink_is_a_symlink(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("was here")
    before = reader.stat("file")
    (tmp_path / "file").unlink()
    (tmp_path / "file").symlink_to("/etc/passwd")

    result = reader.read("file", before)

    assert (result.entry.kind, result.entry.target) == (EntryKind.SYMLINK, b"/etc/passwd")


@pytest.mark.parametrize("content", ["", "was here"])
def test_a_file_replaced_by_a_fifo_is_a_fifo_and_nobody_waits(
    reader: Reader, tmp_path: Path, content: str
) -> None:
    (tmp_path / "file").write_text(content)
    before = reader.stat("file")
    (tmp_path / "file").unlink()
    os.mkfifo(tmp_path / "file")

    result = reader.read("file", before)

    assert result.entry.kind == EntryKind.FIFO


def test_a_file_replaced_by_a_directory_is_refused(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("was here")
    before = reader.stat("file")
    (tmp_path / "file").unlink()
    (tmp_path / "file").mkdir()

    with pytest.raises(OSError, match="Is a directory"):
        reader.read("file", before)


@pytest.mark.parametrize("becomes", ["symlink", "socket", "directory", "file"])
def test_a_name_that_was_never_absent_is_never_said_to_be(tmp_path: Path, becomes: str) -> None:
    """Absence is provable: an entry swapped during the scan is covered, or marked uncovered."""
    place = tmp_path / "place"
    place.mkdir()
    (place / "a").write_text("read first")
    if becomes == "file":
        (place / "b").mkdir()
    else:
        (place / "b").write_text("read second")
    sink = Sink(_once(b"read first", lambda: _swap(place / "b", becomes)))

    found = scan_into(place, sink)

    assert b"b" in sink.entries(found)


def test_a_file_that_vanishes_meanwhile_is_absent(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "a").write_text("read first")
    (place / "b").write_text("read second")
    sink = Sink(_once(b"read first", (place / "b").unlink))

    found = scan_into(place, sink)

    assert list(sink.entries(found)) == [b"", b"a"]
    assert found.coverage.complete


# Entries that are not regular files


def test_a_fifo_never_blocks_a_scan(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo", 0o640)
    sink = Sink()

    entry = sink.entries(scan_into(tmp_path, sink))[b"fifo"]

    assert (entry.kind, entry.mode) == (EntryKind.FIFO, 0o640)


def test_a_socket_is_captured(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        descriptor = os.open(tmp_path, os.O_RDONLY)
        bound.bind(f"/proc/self/fd/{descriptor}/socket")
        os.close(descriptor)
    sink = Sink()

    assert sink.entries(scan_into(tmp_path, sink))[b"socket"].kind == EntryKind.SOCKET


@needs_root
def test_a_device_is_captured_with_its_numbers(reader: Reader, tmp_path: Path) -> None:
    os.mknod(tmp_path / "null", 0o020666, os.makedev(1, 3))

    entry = reader.read("null").entry

    assert (entry.kind, entry.device) == (EntryKind.CHARACTER, (1, 3))


def test_extended_attributes_are_raw_bytes(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    os.setxattr(tmp_path / "file", "user.binary", bytes(range(256)))
    os.setxattr(tmp_path / "file", "user.empty", b"")

    entry = reader.read("file").entry

    assert entry.xattrs is not None
    assert decode_xattrs(reader.sink.get(entry.xattrs)) == {
        b"user.binary": bytes(range(256)),
        b"user.empty": b"",
    }


@needs_root
def test_a_symlink_has_attributes_of_its_own(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    os.setxattr(tmp_path / "link", "trusted.on-link", b"1", follow_symlinks=False)

    link, file = reader.read("link").entry, reader.read("file").entry

    assert link.xattrs is not None
    assert decode_xattrs(reader.sink.get(link.xattrs)) == {b"trusted.on-link": b"1"}
    assert file.xattrs is None


def test_equal_sets_of_attributes_are_put_once(reader: Reader, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("x")
        os.setxattr(tmp_path / name, "user.same", b"1")

    found = {reader.read(name).entry.xattrs for name in ("a", "b", "c")}

    assert len(found) == 1
    assert reader.sink.put_kinds.count(ObjectType.XATTRS) == 1


def test_inode_flags_are_kept_and_others_are_not(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    _set_flags(tmp_path / "file", FLAG_NODUMP | 0x80)  # 0x80: noatime, which is not captured

    assert reader.read("file").entry.flags == FLAG_NODUMP


@needs_root
def test_reading_leaves_access_times_alone(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    os.utime(tmp_path / "file", ns=(1, 2_000_000_000))

    reader.read("file")
    reader.read_plain("file")

    assert (tmp_path / "file").stat().st_atime_ns == 1


BAD = "on a bad block"


@pytest.mark.refuses("read", errno.EIO, 2, len(BAD) + 1)
@pytest.mark.refuses("pread64", errno.EIO, 2, len(BAD))
def test_an_error_while_reading_is_an_uncovered_entry_and_a_problem(tmp_path: Path) -> None:
    """Reads of as many bytes as the bad file has fail."""
    (tmp_path / "bad").write_text(BAD)
    (tmp_path / "good").write_text("fine")
    sink = Sink()

    found = scan_into(tmp_path, sink)

    assert sink.entries(found)[b"bad"].reason == Reason.UNREADABLE
    assert sink.entries(found)[b"good"].is_covered
    assert found.problems == [(b"bad", "Input/output error")]
    assert not found.coverage.complete


def _once(content: bytes, act: object) -> Hook:
    done: list[int] = []

    def hook(_: int, put: bytes) -> None:
        if put == content and not done:
            done.append(1)
            assert callable(act)
            act()

    return hook


def _swap(path: Path, becomes: str) -> None:
    """Replace `path` atomically."""
    new = path.with_name("new")
    if becomes == "symlink":
        new.symlink_to("a")
    elif becomes == "directory":
        new.mkdir()
    elif becomes == "file":
        new.write_text("now a file")
    else:
        with socket.socket(socket.AF_UNIX) as bound:
            descriptor = os.open(path.parent, os.O_RDONLY)
            bound.bind(f"/proc/self/fd/{descriptor}/new")
            os.close(descriptor)
    from clew.worktree.syscalls import RENAME_EXCHANGE, rename

    descriptor = os.open(path.parent, os.O_RDONLY)
    rename(descriptor, b"new", descriptor, os.fsencode(path.name), RENAME_EXCHANGE)
    os.close(descriptor)
    new.rmdir() if new.is_dir() and not new.is_symlink() else new.unlink()


def _set_flags(path: Path, flags: int) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        before = get_inode_flags(descriptor)
        if before is None:
            pytest.skip("this filesystem has no inode flags")
        set_inode_flags(descriptor, before | flags)
    finally:
        os.close(descriptor)
