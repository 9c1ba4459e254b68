"""Restore of some paths, and what is asked, refused and shown before."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from clew.errors import NeedsConfirmation, NoSuchPath, RestoreBlocked
from clew.model.restore_results import RestorePreview
from clew.workspace import Workspace
from tests.kit.walker import differences, look
from tests.operations.moments import rescues, save
from tests.operations.restore.restoring import edited, released

__all__ = ["edited", "released"]


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


def test_what_is_in_the_way_and_must_stay_is_refused_before_any_change(
    ws: Workspace, project: Path
) -> None:
    (project / "d").write_text("a file")
    (project / "other").write_text("1")
    first = save(ws)
    ws.settings.set("exclude", "*.keep")
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
    assert not preview.needs_confirmation
    assert not project.exists()


def test_what_is_excluded_is_left_alone_and_that_is_no_failure(
    ws: Workspace, project: Path
) -> None:
    ws.settings.set("exclude", "*.log")
    (project / "file").write_text("1")
    first = save(ws)
    (project / "file").write_text("2")
    (project / "run.log").write_text("precious")

    result = ws.restore(first)

    assert (project / "run.log").read_text() == "precious"
    assert result.verified
    assert not result.is_partial
    assert result.here.id.hex() == first
