"""What is read while somebody writes: never proof of anything, and said so where it is torn."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import clew
from clew.workspace import Workspace
from tests.kit.child import Child
from tests.kit.filesystems import Filesystems
from tests.kit.stalling import missing, stalled_write

KINDS = ["ext4", "xfs", "btrfs", "tmpfs", "ramfs"]
TORN = ["ext4", "btrfs", "tmpfs", "ramfs"]
"""Where a read does not wait for a write that is under way, as it does on xfs."""
KIB = 1 << 10

needs_stalling = pytest.mark.skipif(missing() is not None, reason=missing() or "")


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, all_filesystems: Filesystems) -> Iterator[Path]:
    """A directory on each kind of filesystem; ramfs has times no finer than the clock's tick."""
    with all_filesystems.fresh(all_filesystems.get(request.param)) as found:
        yield found


@pytest.fixture
def project(place: Path) -> Path:
    (place / "project").mkdir()
    return place / "project"


@pytest.fixture
def history(project: Path, scratch: Path) -> Iterator[Workspace]:
    with clew.open(project, scratch / "store", create=True) as opened:
        yield opened


@needs_stalling
@pytest.mark.parametrize("place", TORN, indirect=True)
@pytest.mark.parametrize("half", [16 * KIB, 1024 * KIB])
def test_a_write_that_stalled_during_a_save_is_seen_by_the_next(
    history: Workspace, project: Path, half: int
) -> None:
    """The write moved the times when it began: they are the same afterwards."""
    old, first, second = b"o" * 2 * half, b"1" * half, b"2" * half
    (project / "file").write_bytes(old)
    time.sleep(0.05)
    with stalled_write(project / "file", first, second) as writer:
        time.sleep(0.1)  # long enough for the times to be old
        before = os.stat(project / "file").st_ctime_ns
        torn = [history.save(f"torn {number}").checkpoint for number in range(3)]
        writer.go_on()
    assert os.stat(project / "file").st_ctime_ns == before

    whole = history.save("whole").checkpoint
    again = history.save("and again").checkpoint

    assert [one.record.coverage.unstable for one in torn] == [(b"file",)] * 3
    assert whole.record.coverage.unstable == ()
    assert _content(history, whole.id.hex()) == first + second
    assert _content(history, again.id.hex()) == first + second


@needs_stalling
@pytest.mark.parametrize("place", TORN, indirect=True)
def test_a_torn_read_is_not_what_a_rescue_holds(history: Workspace, project: Path) -> None:
    (project / "file").write_bytes(b"o" * 64 * KIB)
    good = history.save("good").checkpoint.id.hex()
    time.sleep(0.05)
    with stalled_write(project / "file", b"1" * 32 * KIB, b"2" * 32 * KIB) as writer:
        history.save("torn")
        writer.go_on()

    result = history.restore(good)

    assert result.rescue is not None
    kept = _content(history, result.rescue.id.hex())
    assert kept == b"1" * 32 * KIB + b"2" * 32 * KIB


@pytest.mark.parametrize("way", ["rewrite", "in place"])
def test_a_busy_writer_is_listed(history: Workspace, project: Path, way: str) -> None:
    (project / "quiet").write_bytes(b"quiet")
    names = [f"busy-{number}" for number in range(4)]
    with _busy(project, names, way):
        found = [history.save(f"busy {number}").checkpoint.record for number in range(4)]

    # The kernel lets a writer rest now and then: what is read in such a pause is whole.
    assert [record.consistency for record in found].count("fuzzy") >= 3
    listed = {path for record in found for path in record.coverage.unstable}
    assert listed == {name.encode() for name in names}


def test_a_file_that_is_only_held_open_is_stable(history: Workspace, project: Path) -> None:
    (project / "log").write_bytes(b"one line\n")
    time.sleep(0.05)
    holder = Child()
    holder.do(f"log = open({str(project / 'log')!r}, 'ab', buffering=0)")
    try:
        first = history.save("held").checkpoint.record
        holder.do("log.write(b'another\\n')")
        time.sleep(0.05)
        second = history.save("held, and written to").checkpoint
    finally:
        holder.end()

    assert first.coverage.unstable == ()
    assert second.record.coverage.unstable == ()
    assert _content(history, second.id.hex(), "log") == b"one line\nanother\n"


def test_a_log_that_grows_now_and_then_is_stable(history: Workspace, project: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", _GROWING, project / "log"], stdout=subprocess.PIPE
    )
    try:
        assert writer.stdout is not None
        writer.stdout.readline()
        found = [history.save(f"growing {number}").checkpoint for number in range(4)]
    finally:
        writer.kill()
        writer.communicate()
    whole = (project / "log").read_bytes()

    assert sum(not one.record.coverage.unstable for one in found) >= 2
    assert all(whole.startswith(_content(history, one.id.hex(), "log")) for one in found)


_GROWING = """
import sys, time
with open(sys.argv[1], "ab", buffering=0) as log:
    print(flush=True)
    while True:
        log.write(b"x" * 100)
        time.sleep(0.3)
"""

_REWRITING = """
import contextlib, os, sys
with contextlib.suppress(OSError):  # busy, also where many tests share a processor
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
way, names = sys.argv[1], sys.argv[2:]
number = 0
files = {name: os.open(name, os.O_RDWR | os.O_CREAT) for name in names} if way == "in place" else {}
while True:
    for name in names:
        content = bytes([65 + number % 26]) * 500_000
        if files:
            os.pwrite(files[name], content, 0)
        else:
            with open(name, "wb") as file:
                file.write(content)
    number += 1
    if number == 2:
        print(flush=True)
"""


@contextmanager
def _busy(project: Path, names: list[str], way: str) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-c", _REWRITING, way, *names], cwd=project, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield
    finally:
        process.kill()
        process.communicate()


def _content(history: Workspace, reference: str, path: str = "file") -> bytes:
    root = os.fsdecode(history.info.path)
    return b"".join(history.cat(reference, os.path.join(root, path)))
