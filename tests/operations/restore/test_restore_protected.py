"""Restore of what does not want to be changed: flags, modes, and what only root may set."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from clew import opening
from clew.model.restore_results import RestoreResult
from clew.workspace import Workspace
from tests.kit.walker import differences, look
from tests.operations.forks.forked import NOBODY, forked, needs_root
from tests.operations.moments import chattr, lsattr, names, save
from tests.operations.restore.restoring import released, set_flag

__all__ = ["released"]


@pytest.mark.parametrize("flag", ["i", "a"])
def test_a_protected_file_is_replaced_and_protected_again(
    ws: Workspace, project: Path, flag: str
) -> None:
    (project / "file").write_text("1")
    set_flag(f"+{flag}", project / "file")
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
        set_flag(f"+{flag}", path)

    result = ws.restore(first)

    assert names(project) == []
    assert (result.problems, result.skipped) == ((), ())


def test_a_protected_directory_is_opened_up_and_protected_again(
    ws: Workspace, project: Path
) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "file").write_text("1")
    set_flag("+i", project / "sub")
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
    set_flag("+i", project)

    result = ws.restore(first)

    assert result.verified
    assert (project / "file").read_text() == "1"


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
