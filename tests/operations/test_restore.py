"""Restore: exactly the target, nothing outside, and nobody's later work lost."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.errors import NeedsConfirmation, NoSuchPath, OutsideWorkspace, RestoreBlocked
from clew.model.restoring import RestorePreview, RestoreResult, Why
from clew.operations import room
from clew.workspace import Workspace
from clew.worktree.metadata import FORBIDDING
from clew.worktree.switch import Switch
from clew.worktree.syscalls import get_inode_flags
from tests.kit.everything import release
from tests.kit.walker import differences, look
from tests.operations.forked import NOBODY, forked, needs_root
from tests.operations.moments import chattr, lsattr, names, rescues, save
from tests.worktree.sink import settle


@pytest.fixture(autouse=True)
def released(tmp_path: Path) -> Iterator[None]:
    """Whatever a test makes immutable can be deleted afterwards."""
    yield
    if any(map(_flags_of, tmp_path.rglob("*"))):
        release(tmp_path)


def _flags_of(path: Path) -> int:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return 0
    try:
        return (get_inode_flags(descriptor) or 0) & FORBIDDING
    finally:
        os.close(descriptor)


def leaves(result: RestoreResult) -> dict[bytes, str]:
    return {item.path: item.reason for item in result.left_alone}


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


def test_holes_need_no_room(ws: Workspace, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk image, or `/var/log/lastlog`, is often larger than what is free."""
    (project / "image").touch()
    os.truncate(project / "image", 64 << 20)
    first = save(ws)
    (project / "image").unlink()
    monkeypatch.setattr(room, "free_bytes", lambda _: 8 << 20)

    result = ws.restore(first)

    assert result.verified
    assert (project / "image").stat().st_size == 64 << 20


# Nothing outside


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
    before = _facts(tmp_path / "outside")

    result = ws.restore(first)

    assert _facts(tmp_path / "outside") == before
    assert result.verified
    assert (project / "file").stat().st_mtime_ns == 1_000_000_000


def test_a_directory_swapped_for_a_symlink_is_not_written_through(
    ws: Workspace, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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

    _when_switching(monkeypatch, swap)
    result = ws.restore(first)

    assert (tmp_path / "outside" / "file").read_text() == "2"
    assert (tmp_path / "moved" / "file").read_text() == "2"
    assert result.is_partial


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "sub/../../outside"])
def test_a_path_outside_is_refused(ws: Workspace, project: Path, path: str) -> None:
    first = save(ws)
    with pytest.raises(OutsideWorkspace):
        ws.restore(first, paths=[str(project / path)])


# Somebody else is at work


def _when_switching(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Do something after the rescue was read and before the first step."""
    original = Switch.run

    def run(self: Switch, *arguments: object) -> None:
        act()
        original(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Switch, "run", run)


@pytest.fixture
def edited(ws: Workspace, project: Path) -> str:
    """The id of a first moment; since then a file was edited, one made, one deleted."""
    for name in ("edited", "deleted", "moded"):
        (project / name).write_text("first")
    first = save(ws)
    (project / "edited").write_text("second")
    (project / "deleted").unlink()
    (project / "made").write_text("second")
    (project / "moded").chmod(0o600)
    settle()
    return first


@pytest.mark.parametrize("name", ["edited", "made", "deleted", "moded"])
def test_an_edit_after_the_rescue_survives_and_is_listed(
    ws: Workspace, project: Path, edited: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _when_switching(monkeypatch, lambda: (project / name).write_text("late"))

    result = ws.restore(edited)

    assert (project / name).read_text() == "late"
    why = Why.APPEARED if name == "deleted" else Why.EDITED
    assert leaves(result) == {name.encode(): why}
    assert result.is_partial
    assert result.here.id.hex() != edited


def test_a_mode_changed_after_the_rescue_survives_and_is_listed(
    ws: Workspace, project: Path, edited: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _when_switching(monkeypatch, lambda: (project / "edited").chmod(0o755))

    result = ws.restore(edited)

    assert leaves(result) == {b"edited": Why.EDITED}
    assert (project / "edited").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("name", ["edited", "made"])
def test_a_program_that_still_writes_to_what_came_out_loses_nothing(
    ws: Workspace, project: Path, edited: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Switch._let_go
    with open(project / name, "a") as held:

        def let_go(self: Switch) -> None:
            held.write(" and more")
            held.flush()
            original(self)

        monkeypatch.setattr(Switch, "_let_go", let_go)
        result = ws.restore(edited)

    assert (project / name).read_text() == "second and more"
    assert leaves(result) == {name.encode(): Why.EDITED}


def test_a_file_made_in_a_directory_that_was_to_go_keeps_it(
    ws: Workspace, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = save(ws)
    (project / "goes").mkdir()
    (project / "goes" / "old").write_text("x")
    _when_switching(monkeypatch, lambda: (project / "goes" / "late").write_text("late"))

    result = ws.restore(first)

    assert names(project) == ["goes", "goes/late"]
    assert leaves(result) == {b"goes": Why.NOT_EMPTY}


def test_flags_are_not_set_on_what_was_left_alone(
    ws: Workspace, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "file").write_text("1")
    _flag("+i", project / "file")
    first = save(ws)
    chattr("-i", project / "file")
    (project / "file").write_text("2")
    settle()
    _when_switching(monkeypatch, lambda: (project / "file").write_text("late"))

    result = ws.restore(first)

    assert leaves(result) == {b"file": Why.EDITED}
    assert "i" not in lsattr(project / "file")


def test_what_another_process_changes_after_the_switch_is_no_failure(
    ws: Workspace, project: Path, edited: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Switch.finish_directories

    def finish(self: Switch, directories: object) -> None:
        original(self, directories)  # type: ignore[arg-type]
        (project / "edited").write_text("moved on")

    monkeypatch.setattr(Switch, "finish_directories", finish)
    result = ws.restore(edited)

    assert result.moved_on == (b"edited",)
    assert result.verified
    assert not result.is_partial


# Flags, and directories that do not want to be changed


def _flag(change: str, path: Path) -> None:
    try:
        chattr(change, path)
    except subprocess.CalledProcessError:
        pytest.skip("no inode flags here")


@pytest.mark.parametrize("flag", ["i", "a"])
def test_a_protected_file_is_replaced_and_protected_again(
    ws: Workspace, project: Path, flag: str
) -> None:
    (project / "file").write_text("1")
    _flag(f"+{flag}", project / "file")
    before = look(project)
    first = save(ws)
    chattr(f"-{flag}", project / "file")
    (project / "file").write_text("2")
    chattr(f"+{flag}", project / "file")

    result = ws.restore(first)

    assert result.problems == ()
    assert differences(before, look(project)) == []
    assert flag in lsattr(project / "file")


@pytest.mark.parametrize("flag", ["i", "a"])
def test_protected_files_and_directories_that_were_not_there_go(
    ws: Workspace, project: Path, flag: str
) -> None:
    first = save(ws)
    (project / "sub" / "empty").mkdir(parents=True)
    (project / "sub" / "file").write_text("x")
    for path in (project / "sub" / "file", project / "sub" / "empty", project / "sub"):
        _flag(f"+{flag}", path)

    result = ws.restore(first)

    assert names(project) == []
    assert (result.problems, result.left_alone) == ((), ())


def test_a_protected_directory_is_opened_up_and_protected_again(
    ws: Workspace, project: Path
) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "file").write_text("1")
    _flag("+i", project / "sub")
    before = look(project)
    first = save(ws)
    chattr("-i", project / "sub")
    (project / "sub" / "file").write_text("2")
    (project / "sub" / "new").write_text("2")
    chattr("+i", project / "sub")

    result = ws.restore(first)

    assert result.problems == ()
    assert differences(before, look(project)) == []


def test_a_protected_root_is_opened_up_and_protected_again(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("1")
    first = save(ws)
    (project / "file").write_text("2")
    _flag("+i", project)

    result = ws.restore(first)

    assert result.verified
    assert (project / "file").read_text() == "1"


# As an ordinary user


def _as_nobody(place: Path, body: Callable[[Workspace, Path], object]) -> object:
    def run() -> object:
        (place / "project").mkdir()
        with opening.open(place / "project", store=place / "store", create=True) as ws:
            return body(ws, place / "project")

    return forked(run, uid=NOBODY)


@needs_root
def test_read_only_directories_of_an_ordinary_user_are_restored(open_place: Path) -> None:
    def body(ws: Workspace, project: Path) -> object:
        (project / "sub" / "deep").mkdir(parents=True)
        (project / "sub" / "deep" / "file").write_text("1")
        (project / "sub" / "deep").chmod(0o500)
        (project / "sub").chmod(0o500)
        before = look(project)
        first = save(ws)
        (project / "sub" / "deep").chmod(0o700)
        (project / "sub" / "deep" / "file").write_text("2")
        (project / "sub" / "deep" / "new").write_text("2")
        (project / "sub" / "deep").chmod(0o500)
        result = ws.restore(first)
        return differences(before, look(project)), result.problems, result.verified

    assert _as_nobody(open_place, body) == ([], (), True)


@needs_root
def test_a_read_only_root_of_an_ordinary_user_is_restored(open_place: Path) -> None:
    def body(ws: Workspace, project: Path) -> object:
        (project / "file").write_text("1")
        project.chmod(0o555)
        before = look(project)
        first = save(ws)
        (project / "file").write_text("2")
        result = ws.restore(first)
        return differences(before, look(project)), result.problems, result.verified

    assert _as_nobody(open_place, body) == ([], (), True)


@needs_root
def test_what_only_root_may_set_back_is_reported_and_not_fatal(open_place: Path) -> None:
    """A device and another owner's file, saved by root, restored by somebody else."""
    project, store = open_place / "project", open_place / "store"
    project.mkdir()
    (project / "file").write_text("1")
    os.mknod(project / "null", 0o020666, os.makedev(1, 3))
    (project / "theirs").write_text("root's")
    with opening.open(project, store=store, create=True) as ws:
        first = save(ws)
    for name in ("file", "null", "theirs"):
        (project / name).unlink()
    subprocess.run(["chown", "-R", str(NOBODY), str(project), str(store)], check=True)

    def body() -> RestoreResult:
        with opening.open(project, store=store) as opened:
            return opened.restore(first)

    result = forked(body, uid=NOBODY)

    assert {item.path for item in result.problems} == {b"", b"file", b"null", b"theirs"}
    assert result.is_partial
    assert names(project) == ["file", "theirs"]
    assert (project / "theirs").read_text() == "root's"


# Some paths


def test_only_the_chosen_paths_come_back(ws: Workspace, project: Path) -> None:
    for name in ("a", "b"):
        (project / name).write_text("1")
    first = save(ws)
    for name in ("a", "b"):
        (project / name).write_text("2")

    result = ws.restore(first, paths=[str(project / "a")])

    assert [(project / name).read_text() for name in ("a", "b")] == ["1", "2"]
    assert result.verified
    assert len(rescues(ws)) == 1


def test_a_chosen_path_is_relative_to_where_we_are(
    ws: Workspace, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "file").write_text("1")
    first = save(ws)
    (project / "sub" / "file").write_text("2")
    monkeypatch.chdir(project / "sub")

    ws.restore(first, paths=["file"])

    assert (project / "sub" / "file").read_text() == "1"


def test_a_path_that_is_nowhere_is_a_slip(ws: Workspace, project: Path) -> None:
    first = save(ws)

    with pytest.raises(NoSuchPath):
        ws.restore(first, paths=[str(project / "typo")])

    assert len(ws.log().checkpoints) == 1


def test_a_path_chosen_alone_brings_no_stranger_with_it(ws: Workspace, project: Path) -> None:
    """`daily-journal` is a diary, not the journal of a database called `daily`."""
    for name in ("daily", "daily-journal"):
        (project / name).write_text("1")
    first = save(ws)
    for name in ("daily", "daily-journal"):
        (project / name).write_text("2")

    ws.restore(first, paths=[str(project / "daily-journal")])

    assert (project / "daily-journal").read_text() == "1"
    assert (project / "daily").read_text() == "2"


def test_a_database_chosen_alone_brings_its_log(ws: Workspace, project: Path) -> None:
    header = b"SQLite format 3\x00"
    (project / "x.db").write_bytes(header + b"1")
    (project / "x.db-wal").write_bytes(b"1")
    first = save(ws)
    (project / "x.db").write_bytes(header + b"2")
    (project / "x.db-wal").write_bytes(b"2")

    ws.restore(first, paths=[str(project / "x.db")])

    assert (project / "x.db-wal").read_bytes() == b"1"


# Refused, asked, previewed


def test_what_is_in_the_way_and_must_stay_is_refused_before_any_change(
    ws: Workspace, project: Path
) -> None:
    (project / "d").write_text("a file")
    (project / "other").write_text("1")
    first = save(ws)
    ws.set_config("exclude", "*.keep")
    (project / "d").unlink()
    (project / "d").mkdir()
    (project / "d" / "x.keep").write_text("mine")
    (project / "other").write_text("2")
    before = look(project)

    with pytest.raises(RestoreBlocked):
        ws.restore(first)

    assert differences(before, look(project)) == []


def test_nobody_is_asked_when_nothing_would_be_overwritten(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("1")
    first = save(ws)
    (project / "file").unlink()

    def never(_: RestorePreview) -> bool:
        raise AssertionError("nobody should be asked")

    ws.restore(first, confirm=never)

    assert (project / "file").read_text() == "1"


def test_a_no_leaves_everything_and_no_rescue(ws: Workspace, project: Path, edited: str) -> None:
    before = look(project)

    with pytest.raises(NeedsConfirmation):
        ws.restore(edited, confirm=lambda _: False)

    assert differences(before, look(project)) == []
    assert rescues(ws) == []


def test_the_preview_says_what_the_restore_does(ws: Workspace, project: Path, edited: str) -> None:
    before = look(project)

    preview = ws.preview(edited)
    assert differences(before, look(project)) == []
    result = ws.restore(edited)

    parts = (preview.created, preview.replaced, preview.deleted, preview.metadata)
    assert [[item.path for item in part] for part in parts] == [
        [b"deleted"], [b"edited"], [b"made"], [b"moded"],
    ]  # fmt: skip
    assert preview.dirty
    assert (result.created, result.replaced, result.deleted, result.metadata) == (1, 1, 1, 1)


def test_a_preview_of_a_root_that_is_gone_creates_all_of_it(ws: Workspace, project: Path) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "file").write_text("1")
    first = save(ws)
    shutil.rmtree(project)

    preview = ws.preview(first)

    assert [item.path for item in preview.created] == [b"sub", b"sub/file"]
    assert not preview.overwrites
    assert not project.exists()


def test_what_is_excluded_is_left_alone_and_that_is_no_failure(
    ws: Workspace, project: Path
) -> None:
    ws.set_config("exclude", "*.log")
    (project / "file").write_text("1")
    first = save(ws)
    (project / "file").write_text("2")
    (project / "run.log").write_text("precious")

    result = ws.restore(first)

    assert (project / "run.log").read_text() == "precious"
    assert result.verified
    assert not result.is_partial
    assert result.here.id.hex() == first


def _facts(path: Path) -> tuple[object, ...]:
    found = path.stat()
    return (
        found.st_ino, found.st_mode, found.st_mtime_ns, path.read_text(), os.listxattr(path),
    )  # fmt: skip
