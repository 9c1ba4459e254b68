"""Restore: exactly the target, nothing outside, and nobody's later work lost."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from clew.errors import NeedsConfirmation, OutsideWorkspace
from clew.model.restore_results import RestorePreview
from clew.monitor import Monitor
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.kit.walker import differences, look
from tests.operations.moments import names, save
from tests.operations.restore.restoring import edited, facts_of, released

__all__ = ["edited", "released"]


def test_everything_comes_back_with_its_metadata(ws: Workspace, project: Path) -> None:
    (project / "sub" / "empty").mkdir(parents=True)
    (project / "sub" / "file").write_text("x")
    (project / "sub" / "file").chmod(0o4755)
    os.setxattr(project / "sub" / "file", "user.note", b"\xff")
    (project / "large").write_bytes(os.urandom(2 << 20) + bytes(1 << 20))
    (project / "link").symlink_to("sub/file")
    os.mkfifo(project / "fifo")
    os.link(project / "large", project / "sub" / "same")
    (project / "sub").chmod(0o2750)
    os.utime(project / "sub", ns=(0, 1_234_567_890_123_456_789))
    before = look(project)
    first = save(ws)
    shutil.rmtree(project / "sub")
    (project / "large").write_text("small")
    (project / "link").unlink()
    (project / "new").write_text("new")

    result = ws.restore(first)

    assert differences(before, look(project)) == []
    assert result.verified
    assert not result.is_partial
    assert (result.created, result.replaced, result.deleted) == (5, 1, 1)
    assert result.here.id.hex() == first


def test_a_whole_root_that_was_deleted_comes_back(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("x")
    project.chmod(0o750)
    before = look(project)
    first = save(ws)
    shutil.rmtree(project)

    result = ws.restore(first)

    assert differences(before, look(project)) == []
    assert result.verified


def test_the_root_keeps_its_time_and_the_stage_goes(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("1")
    os.utime(project, ns=(0, 1_000_000_000_000_000_001))
    first = save(ws)
    (project / "file").write_text("2")
    os.utime(project, ns=(0, 2_000_000_000_000_000_002))

    ws.restore(first)

    assert project.stat().st_mtime_ns == 1_000_000_000_000_000_001
    assert names(project) == ["file"]


def test_only_what_differs_is_touched(ws: Workspace, project: Path) -> None:
    for name in ("same", "edited"):
        (project / name).write_text("1")
    first = save(ws)
    (project / "edited").write_text("2")
    before = (project / "same").stat()

    ws.restore(first)

    assert (project / "same").stat().st_ctime_ns == before.st_ctime_ns
    assert (project / "same").stat().st_ino == before.st_ino


def test_restoring_here_without_changes_does_nothing(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("1")
    first = save(ws)

    result = ws.restore(first)

    assert result.rescue is None
    assert (result.created, result.replaced, result.deleted, result.metadata) == (0, 0, 0, 0)


def test_holes_stay_holes(ws: Workspace, project: Path) -> None:
    with open(project / "sparse", "wb") as file:
        file.write(b"x" * 70_000)
        file.truncate(64 << 20)
    first = save(ws)
    (project / "sparse").unlink()

    ws.restore(first)

    found = (project / "sparse").stat()
    assert found.st_size == 64 << 20
    assert found.st_blocks * 512 < 1 << 20


def test_holes_need_no_room(ws: Workspace, project: Path, host: FakeHost) -> None:
    """A disk image, or `/var/log/lastlog`, is often larger than what is free."""
    (project / "image").touch()
    os.truncate(project / "image", 64 << 20)
    first = save(ws)
    (project / "image").unlink()
    host.free[project] = 8 << 20

    result = ws.restore(first)

    assert result.verified
    assert (project / "image").stat().st_size == 64 << 20


@pytest.mark.parametrize("change", ["mode", "time", "content", "xattr"])
def test_a_hard_link_outside_the_root_is_never_changed(
    ws: Workspace, project: Path, tmp_path: Path, change: str
) -> None:
    """Package managers link from their own stores; what a restore changes must not show there."""
    (project / "file").write_text("1")
    os.utime(project / "file", ns=(0, 1_000_000_000))
    os.link(project / "file", tmp_path / "outside")
    first = save(ws)
    if change == "mode":
        (project / "file").chmod(0o600)
    elif change == "time":
        os.utime(project / "file", ns=(0, 2_000_000_000))
    elif change == "content":
        (project / "file").write_text("2")
    else:
        os.setxattr(project / "file", "user.new", b"1")
    before = facts_of(tmp_path / "outside")

    result = ws.restore(first)

    assert facts_of(tmp_path / "outside") == before
    assert result.verified
    assert (project / "file").stat().st_mtime_ns == 1_000_000_000


def test_a_directory_swapped_for_a_symlink_is_not_written_through(
    ws: Workspace, project: Path, tmp_path: Path, host: FakeHost
) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "file").write_text("1")
    first = save(ws)
    (project / "sub" / "file").write_text("2")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("2")

    def swap() -> None:
        (project / "sub").rename(tmp_path / "moved")
        (project / "sub").symlink_to(tmp_path / "outside")

    host.when("restore.switch", swap)
    result = ws.restore(first)

    assert (tmp_path / "outside" / "file").read_text() == "2"
    assert (tmp_path / "moved" / "file").read_text() == "2"
    assert result.is_partial


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "sub/../../outside"])
def test_a_path_outside_is_refused(ws: Workspace, project: Path, path: str) -> None:
    first = save(ws)
    with pytest.raises(OutsideWorkspace):
        ws.restore(first, paths=[str(project / path)])


class _ScanCounter(Monitor):
    """Counts the scans that have ended."""

    def __init__(self) -> None:
        self.scans = 0

    def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
        self.scans += phase == "scan" and done == total


def test_a_restore_that_asks_first_scans_twice(ws: Workspace, project: Path) -> None:
    """Once for the preview and the rescue, once to compare the result."""
    (project / "file").write_text("1")
    first = save(ws)
    (project / "file").write_text("2, unsaved")
    counter = _ScanCounter()

    result = ws.restore(first, confirm=lambda preview: len(preview.replaced) == 1, monitor=counter)

    assert counter.scans == 2
    assert (project / "file").read_text() == "1"
    assert result.rescue is not None
    assert b"".join(ws.cat(result.rescue.id.hex(), str(project / "file"))) == b"2, unsaved"


def test_an_edit_while_the_question_is_open_is_left_alone(ws: Workspace, project: Path) -> None:
    for name in ("file", "other"):
        (project / name).write_text("1")
    first = save(ws)
    for name in ("file", "other"):
        (project / name).write_text("2")

    def edit_and_confirm(preview: RestorePreview) -> bool:
        (project / "file").write_text("3, meanwhile")
        (project / "new").write_text("4, meanwhile")
        return True

    result = ws.restore(first, confirm=edit_and_confirm)

    assert (project / "file").read_text() == "3, meanwhile"
    assert (project / "new").read_text() == "4, meanwhile"
    assert (project / "other").read_text() == "1"
    assert result.is_partial
    assert b"file" in [item.path for item in result.skipped]


def test_a_restore_that_is_declined_makes_no_checkpoint(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("1")
    first = save(ws)
    (project / "file").write_text("2")

    with pytest.raises(NeedsConfirmation):
        ws.restore(first, confirm=lambda _: False)

    assert [one.id.hex() for one in ws.log().checkpoints] == [first]
    assert (project / "file").read_text() == "2"
