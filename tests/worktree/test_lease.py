"""Writer detection by read lease, without blocking other processes."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from clew.worktree.cache import WorktreeCache
from clew.worktree.lease import CLOSED, OPEN, UNKNOWN, check_writers
from clew.worktree.processes import being_written, open_for_writing
from tests.kit.stalling import missing, stalled_write
from tests.worktree.sink import Sink, scan_into, settle


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file").write_bytes(b"content " * 1000)
    settle()
    return tmp_path / "tree" / "file"


def _look(path: Path) -> int:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return check_writers(descriptor)[0]
    finally:
        os.close(descriptor)


def test_a_file_that_nobody_writes_to_is_closed(file: Path) -> None:
    with open(file, "rb"):
        assert _look(file) == CLOSED


def test_a_file_open_for_writing_is_open_until_it_is_closed(file: Path) -> None:
    with open(file, "r+b"):
        assert _look(file) == OPEN
    assert _look(file) == CLOSED


def test_a_file_mapped_for_writing_is_open(file: Path) -> None:
    with open(file, "r+b") as opened:
        view = mmap.mmap(opened.fileno(), 0)
    try:
        assert _look(file) == OPEN
    finally:
        view.close()


def test_what_has_no_leases_is_unknown() -> None:
    reading, writing = os.pipe()
    try:
        assert check_writers(reading)[0] == UNKNOWN
    finally:
        os.close(reading)
        os.close(writing)


def test_no_lease_is_left_behind(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        check_writers(descriptor)
        os.close(os.open(file, os.O_WRONLY | os.O_NONBLOCK))  # EAGAIN if a lease were held
    finally:
        os.close(descriptor)


def test_whoever_opens_the_file_meanwhile_does_not_end_us(file: Path) -> None:
    """The kernel breaks the lease with a signal, whose default action ends the process."""
    program = (
        "import os, sys\n"
        "sys.stdout.write('ready\\n'), sys.stdout.flush()\n"
        "while True: os.close(os.open(sys.argv[1], os.O_WRONLY))\n"
    )
    opener = subprocess.Popen([sys.executable, "-c", program, file], stdout=subprocess.PIPE)
    descriptor = os.open(file, os.O_RDONLY)
    try:
        assert opener.stdout is not None
        opener.stdout.readline()
        found = {check_writers(descriptor)[0] for _ in range(20_000)}
    finally:
        os.close(descriptor)
        opener.kill()
        opener.communicate()

    assert found <= {CLOSED, OPEN}
    assert CLOSED in found
    assert signal.getsignal(signal.SIGIO) is signal.SIG_DFL


def test_a_file_held_open_is_read_by_every_scan_until_it_is_closed(
    file: Path, tmp_path: Path
) -> None:
    sink = Sink()
    cache = WorktreeCache(str(tmp_path / "cache"), "owner")
    reads = []
    with open(file, "r+b"):
        for _ in range(3):
            scan_into(file.parent, sink, cache)
            reads.append(sink.reads())
    for _ in range(2):
        scan_into(file.parent, sink, cache)
        reads.append(sink.reads())
    cache.close()

    assert reads == [1, 1, 1, 1, 0]


@pytest.mark.refuses("fcntl", errno.EINVAL, 1, fcntl.F_SETLEASE)
def test_where_leases_do_not_work_two_scans_must_agree(file: Path, tmp_path: Path) -> None:
    sink = Sink()
    cache = WorktreeCache(str(tmp_path / "cache"), "owner")
    reads = []
    for _ in range(3):
        scan_into(file.parent, sink, cache)
        reads.append(sink.reads())
    with open(file, "r+b") as opened:
        opened.write(b"changed")
        opened.flush()
        settle()
        for _ in range(3):  # open for writing, according to /proc
            scan_into(file.parent, sink, cache)
            reads.append(sink.reads())
    cache.close()

    assert reads == [1, 1, 0, 1, 1, 1]


def test_files_open_for_writing_are_known_by_their_processes(file: Path) -> None:
    with open(file, "rb"):
        assert _identity(file) not in open_for_writing()
    with open(file, "r+b"):
        assert _identity(file) in open_for_writing()


@pytest.mark.skipif(missing() is not None, reason=missing() or "")
def test_a_write_that_waits_is_seen(file: Path) -> None:
    file.write_bytes(b"o" * 8192)
    assert _identity(file) not in being_written()
    with stalled_write(file, b"1" * 4096, b"2" * 4096) as writer:
        assert _identity(file) in being_written()
        writer.go_on()
        assert _identity(file) not in being_written()


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino
