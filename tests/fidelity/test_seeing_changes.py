"""Every edit is seen, also those that stat does not show."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.workspace import Workspace
from tests.kit.child import Child
from tests.kit.filesystems import Filesystems
from tests.kit.wreck import edit_unnoticed

PAGES = 16 * 4096


@pytest.fixture(params=["ext4", "xfs", "btrfs", "tmpfs"])
def project(request: pytest.FixtureRequest, all_filesystems: Filesystems) -> Iterator[Path]:
    """A small project on each filesystem; what stat shows of a mapped write differs by it."""
    place = all_filesystems.get(request.param) / request.node.name.split("[")[0]
    (place / "project").mkdir(parents=True)
    (place / "project" / "file").write_bytes(b"a" * PAGES)
    (place / "project" / "other").write_text("never changes")
    yield place / "project"
    subprocess.run(["rm", "-rf", place], check=True)


@pytest.fixture
def history(project: Path) -> Iterator[Workspace]:
    with opening.open(project, store=str(project.parent / "store"), create=True) as clew:
        yield clew


def test_an_edit_that_keeps_size_and_mtime_is_seen(history: Workspace, project: Path) -> None:
    history.save("before")
    edit_unnoticed(project / "file")
    paths = [change.path for change in history.status().changes]
    saved = history.save("after").checkpoint

    assert paths == [b"file"]
    assert _content(history, saved.id.hex()) == b"!" + b"a" * (PAGES - 1)


def test_an_edit_right_after_a_save_is_seen(history: Workspace, project: Path) -> None:
    for number in range(20):
        history.save(f"before {number}")
        edit_unnoticed(project / "file", new=b"%d" % (number % 10))

        assert [change.path for change in history.status().changes] == [b"file"], number


def test_an_edit_by_rename_that_keeps_size_and_mtime_is_seen(
    history: Workspace, project: Path
) -> None:
    history.save("before")
    times = (project / "file").stat()
    (project / "new").write_bytes(b"b" * PAGES)
    os.utime(project / "new", ns=(times.st_atime_ns, times.st_mtime_ns))
    os.replace(project / "new", project / "file")

    assert [change.path for change in history.status().changes] == [b"file"]


def test_a_store_through_a_shared_map_is_seen(history: Workspace, project: Path) -> None:
    with _mapped(project / "file") as child:
        child.do("view[0] = 1")
        history.save("first")
        child.do("view[0] = 2")
        second = history.save("second").checkpoint
        child.do("view[1] = 3")
        third = history.save("third").checkpoint

        assert _content(history, second.id.hex())[:2] == b"\x02a"
        assert _content(history, third.id.hex())[:2] == b"\x02\x03"


def test_a_store_through_a_map_that_is_closed_before_the_next_save_is_seen(
    history: Workspace, project: Path
) -> None:
    with _mapped(project / "file") as child:
        child.do("view[0] = 1")  # the page is dirty now: later stores do not touch the times
        history.save("first")
        child.do("view[0] = 2")
    second = history.save("second").checkpoint

    assert _content(history, second.id.hex())[:1] == b"\x02"


def test_a_store_before_the_next_status_is_seen(history: Workspace, project: Path) -> None:
    with _mapped(project / "file") as child:
        child.do("view[0] = 1")
        history.save("first")
        child.do("view[0] = 2")

        assert [change.path for change in history.status().changes] == [b"file"]


def test_a_restore_takes_a_mapped_store_into_its_rescue(history: Workspace, project: Path) -> None:
    with _mapped(project / "file") as child:
        child.do("view[0] = 1")
        first = history.save("first").checkpoint
        child.do("view[0] = 2")
        result = history.restore(first.id.hex())

    assert result.rescue is not None
    assert _content(history, result.rescue.id.hex())[:1] == b"\x02"
    assert (project / "file").read_bytes()[:1] == b"\x01"


def test_a_file_that_keeps_changing_is_kept_as_unstable_and_said_so(
    history: Workspace, project: Path
) -> None:
    (project / "busy").write_bytes(bytes(range(256)) * (128 << 10))
    with _writing(project / "busy"):
        result = history.save("while it changes")
    record = result.checkpoint.record

    assert record.coverage.unstable == (b"busy",)
    assert record.consistency == "fuzzy"
    assert b"other" in {entry.name for entry in history.ls(result.checkpoint.id.hex()).entries}


def test_a_quiet_workspace_is_stable(history: Workspace) -> None:
    record = history.save("quiet").checkpoint.record

    assert record.coverage.unstable == ()
    assert record.consistency == "stable"


def test_a_database_and_its_log_are_captured_as_one(history: Workspace, project: Path) -> None:
    with _accounting(project / "bank.db"):
        time.sleep(0.2)
        saved = [history.save(f"while it is written {n}").checkpoint for n in range(6)]
    stable = [found for found in saved if not found.record.coverage.unstable]
    totals = []
    for found in stable:
        history.restore(found.id.hex())
        totals.append(_audit(project / "bank.db"))

    assert len(stable) >= 3
    assert totals == [("ok", 1000)] * len(stable)


def _mapped(path: Path) -> Child:
    child = Child()
    child.do("import mmap, os")
    child.do(f"fd = os.open({str(path)!r}, os.O_RDWR)")
    child.do("view = mmap.mmap(fd, 0, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)")
    child.do("os.close(fd)")
    return child


class _writing:
    """Writes to a file all the time, in another process."""

    def __init__(self, path: Path) -> None:
        code = (
            "import os,sys\n"
            f"fd = os.open({str(path)!r}, os.O_WRONLY)\n"
            "n = 0\n"
            "while True:\n"
            "    n += 1\n"
            "    os.pwrite(fd, b'%08d' % (n % 10**8), 16 * (n % 1000))\n"
        )
        self._process = subprocess.Popen([sys.executable, "-c", code])

    def __enter__(self) -> None:
        time.sleep(0.1)

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


class _accounting:
    """Moves money between two accounts of a database in WAL mode; the sum never changes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self._ready = threading.Event()

    def __enter__(self) -> None:
        self._thread.start()
        self._ready.wait(10)

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _work(self) -> None:
        bank = sqlite3.connect(self._path, isolation_level=None)
        bank.execute("PRAGMA journal_mode=WAL")
        bank.execute("PRAGMA wal_autocheckpoint=20")
        bank.execute("CREATE TABLE account (id INTEGER PRIMARY KEY, money INTEGER, note TEXT)")
        bank.execute("INSERT INTO account VALUES (1, 1000, ''), (2, 0, '')")
        self._ready.set()
        number = 0
        while not self._stop.is_set():
            number += 1
            bank.execute("BEGIN IMMEDIATE")
            bank.execute(
                "UPDATE account SET money = money - 1, note = ? WHERE id = 1",
                ("x" * (number % 999),),
            )
            bank.execute("UPDATE account SET money = money + 1 WHERE id = 2")
            bank.execute("COMMIT")
            time.sleep(0.02)
        bank.close()


def _audit(path: Path) -> tuple[str, int]:
    bank = sqlite3.connect(path)
    verdict = bank.execute("PRAGMA integrity_check").fetchone()[0]
    total = bank.execute("SELECT sum(money) FROM account").fetchone()[0]
    bank.close()
    return verdict, total


def _content(history: Workspace, reference: str) -> bytes:
    root = os.fsdecode(history.info.path)
    return b"".join(history.cat(reference, os.path.join(root, "file")))
