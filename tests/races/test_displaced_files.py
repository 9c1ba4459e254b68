"""What a restore takes out of its place while others work: both files are kept, and listed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.model.restore_results import RestoreResult, SkipReason
from clew.monitor import RecordingMonitor
from clew.workspace import Workspace
from tests.kit import stalling
from tests.kit.fake_host import FakeHost
from tests.operations.moments import save


@pytest.fixture
def project(on_ext4: Path) -> Path:
    (on_ext4 / "project" / "logs").mkdir(parents=True)
    (on_ext4 / "project" / "logs" / "app.log").write_text("first\n")
    return on_ext4 / "project"


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def clew(project: Path, host: FakeHost) -> Iterator[Workspace]:
    store = str(project.parent / "store")
    with opening.open(project, store=store, create=True, host=host) as clew:
        yield clew


@pytest.fixture
def log(clew: Workspace, project: Path) -> Path:
    """A file of the second moment, which a restore replaces by that of the first."""
    save(clew, "first")
    log = project / "logs" / "app.log"
    log.unlink()
    log.write_text("second\n")
    save(clew, "second")
    return log


def _put_new_file(path: Path) -> None:
    fresh = path.with_name("fresh")
    fresh.write_text("a new file\n")
    fresh.rename(path)


def _told(result: RestoreResult) -> set[bytes]:
    return {item.path for item in (*result.skipped, *result.problems)}


def test_a_file_put_in_place_meanwhile_is_kept_beside_the_one_that_was_appended_to(
    clew: Workspace, log: Path, host: FakeHost
) -> None:
    """Log rotation: a program appends to the old file, and the path has a new one."""
    with open(log, "a") as held:

        def meddle() -> None:
            held.write("appended\n")
            held.flush()
            _put_new_file(log)

        host.when("restore.let-go", meddle)
        result = clew.restore("@~1")

    (kept,) = log.parent.glob("app.log.kept-*")
    assert log.read_text() == "a new file\n"
    assert kept.read_text() == "second\nappended\n"
    assert {b"logs/app.log", b"logs/" + os.fsencode(kept.name)} <= _told(result)
    assert result.is_partial


def test_the_same_where_the_path_was_emptied_by_a_rename(
    clew: Workspace, log: Path, host: FakeHost
) -> None:
    with open(log, "a") as held:

        def meddle() -> None:
            held.write("appended\n")
            held.flush()
            log.rename(log.with_name("app.log.1"))

        host.when("restore.let-go", meddle)
        result = clew.restore("@~1")

    assert log.read_text() == "second\nappended\n"
    assert log.with_name("app.log.1").read_text() == "first\n"
    assert b"logs/app.log" in _told(result)
    assert result.is_partial


@pytest.mark.parametrize("change", ["content", "mode", "attribute"])
def test_what_somebody_changed_in_the_file_we_put_is_not_deleted(
    clew: Workspace, log: Path, host: FakeHost, change: str
) -> None:
    with open(log, "a") as held:

        def meddle() -> None:
            held.write("appended\n")
            held.flush()
            if change == "content":
                log.write_text("edited after the exchange\n")
            elif change == "mode":
                log.chmod(0o640)
            else:
                os.setxattr(log, "user.mine", b"1")

        host.when("restore.let-go", meddle)
        result = clew.restore("@~1")

    (kept,) = log.parent.glob("app.log.kept-*")
    assert kept.read_text() == "second\nappended\n"
    if change == "content":
        assert log.read_text() == "edited after the exchange\n"
    elif change == "mode":
        assert log.stat().st_mode & 0o777 == 0o640
    else:
        assert os.getxattr(log, "user.mine") == b"1"
    assert result.is_partial


def test_a_new_file_between_the_look_and_the_exchange_is_not_deleted(
    clew: Workspace, log: Path, host: FakeHost
) -> None:
    """The last moment there is: the path was looked at, and the exchange comes next."""
    with open(log, "a") as held:

        def meddle() -> None:
            held.write("appended\n")
            held.flush()

        host.when("restore.let-go", meddle)
        with host.at("restore.exchange-back", lambda: _put_new_file(log), number=1):
            result = clew.restore("@~1")

    assert log.read_text() == "a new file\n"
    (kept,) = log.parent.glob("app.log.kept-*")
    assert kept.read_text() == "second\nappended\n"
    assert result.is_partial


def test_a_line_written_between_the_look_and_the_deletion_is_kept(
    clew: Workspace, log: Path, host: FakeHost
) -> None:
    with open(log, "a") as held:

        def write() -> None:
            held.write("at the last moment\n")
            held.flush()

        with host.at("restore.unlink", write, number=1):
            result = clew.restore("@~1")

    assert log.read_text() == "second\nat the last moment\n"
    assert result.is_partial


def test_a_linked_file_that_was_written_to_is_not_lost_with_its_last_name(
    clew: Workspace, project: Path, host: FakeHost
) -> None:
    """Both names go; the ctime of each moves by the other's deletion, and by a write."""
    first = save(clew, "first")
    (project / "one").write_text("data\n")
    (project / "two").hardlink_to(project / "one")
    save(clew, "second")
    with open(project / "one", "r+") as held:

        def meddle() -> None:
            held.write("DATA")
            held.flush()
            os.utime(held.fileno(), ns=(0, (project / "logs").stat().st_mtime_ns))

        host.when("restore.let-go", meddle)
        clew.restore(first)

    left = [path for path in (project / "one", project / "two") if path.exists()]
    assert left
    assert left[0].read_text() == "DATA\n"


def test_a_directory_chmodded_after_the_rescue_keeps_its_mode(
    clew: Workspace, project: Path, host: FakeHost
) -> None:
    first = save(clew, "first")
    (project / "goes").mkdir()
    (project / "logs").chmod(0o700)
    (project / "logs" / "more").write_text("more\n")
    save(clew, "second")

    def meddle() -> None:
        (project / "logs").chmod(0o711)
        (project / "goes").chmod(0o711)

    host.when("restore.switch", meddle)
    result = clew.restore(first)

    assert (project / "logs").stat().st_mode & 0o777 == 0o711
    assert (project / "goes").stat().st_mode & 0o777 == 0o711
    assert not (project / "logs" / "more").exists()
    reasons = {item.path: item.reason for item in result.skipped}
    assert reasons == {b"logs": SkipReason.METADATA_EDITED, b"goes": SkipReason.METADATA_EDITED}
    assert result.is_partial


@pytest.mark.skipif(stalling.missing() is not None, reason=str(stalling.missing()))
def test_a_file_that_is_written_to_at_that_moment_stays_in_its_place(
    clew: Workspace, log: Path
) -> None:
    """The write began before the rescue and ends after the restore: no byte of it may be lost."""
    first, second = b"1" * 8192, b"2" * 8192
    log.write_bytes(b"0" * 16384)
    with stalling.stalled_write(log, first, second) as writer:
        timer = threading.Timer(1, writer.go_on)  # the kernel exchanges no file in mid-write
        timer.start()
        result = clew.restore("@~1")
        timer.join()

    assert log.read_bytes() == first + second
    assert b"logs/app.log" in _told(result)
    assert result.is_partial


def test_programs_that_keep_a_replaced_file_open_are_named(clew: Workspace, log: Path) -> None:
    monitor = RecordingMonitor()
    with open(log, "a"):
        result = clew.restore("@~1", monitor=monitor)

    assert log.read_text() == "first\n"
    assert not result.is_partial
    (notice,) = [one for one in monitor.notices if "still have the replaced files open" in one]
    assert "logs/app.log" in notice
