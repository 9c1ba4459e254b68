"""Diff: between two checkpoints, or a checkpoint and what is live."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from clew.workspace import Workspace
from tests.operations.moments import save


def told(ws: Workspace, *refs: str, **options: object) -> list[tuple[str, bytes]]:
    difference = ws.diff(*refs, **options)  # type: ignore[arg-type]
    return [(change.kind, change.path) for change in difference.changes]


@pytest.fixture
def two(ws: Workspace, project: Path) -> tuple[str, str]:
    (project / "sub").mkdir()
    (project / "sub" / "edited").write_text("one\ntwo\n")
    (project / "gone").write_text("bye\n")
    first = save(ws)
    (project / "sub" / "edited").write_text("one\nTWO\n")
    (project / "gone").unlink()
    (project / "new").symlink_to("sub")
    return first, save(ws)


def test_between_two_checkpoints_and_back(ws: Workspace, two: tuple[str, str]) -> None:
    assert told(ws, *two) == [
        ("deleted", b"gone"), ("added", b"new"), ("modified", b"sub/edited"),
    ]  # fmt: skip
    assert told(ws, two[1], two[0]) == [
        ("added", b"gone"), ("deleted", b"new"), ("modified", b"sub/edited"),
    ]  # fmt: skip


def test_against_what_is_live_nothing_is_written(
    ws: Workspace, project: Path, two: tuple[str, str], store: Path
) -> None:
    (project / "live").write_text("now")
    before = sorted(os.listdir(store / "packs"))

    assert told(ws) == [("added", b"live")]
    assert [kind for kind, _ in told(ws, two[0])] == ["deleted", "added", "added", "modified"]
    assert sorted(os.listdir(store / "packs")) == before


def test_a_time_alone_is_no_change(ws: Workspace, project: Path, two: tuple[str, str]) -> None:
    (project / "sub" / "edited").touch()

    assert told(ws) == []


def test_only_some_paths(ws: Workspace, project: Path, two: tuple[str, str]) -> None:
    assert told(ws, *two, paths=[str(project / "sub")]) == [("modified", b"sub/edited")]


def test_before_the_first_save_there_is_nothing_to_compare(ws: Workspace, project: Path) -> None:
    (project / "file").write_text("x")

    difference = ws.status()

    assert (difference.old, difference.changes) == (None, ())
    assert difference.coverage is not None
    assert difference.coverage.files == 1


def test_a_patch_is_what_changed_line_by_line(ws: Workspace, two: tuple[str, str]) -> None:
    lines = list(ws.patch(ws.diff(*two)))

    assert lines[:4] == ["--- a/gone", "+++ /dev/null", "@@ -1 +0,0 @@", "-bye"]
    assert {"-two", "+TWO", " one"} <= set(lines)


def test_a_patch_against_what_is_live(ws: Workspace, project: Path, two: tuple[str, str]) -> None:
    (project / "sub" / "edited").write_text("one\nthree\n")

    assert "+three" in list(ws.patch(ws.diff()))


def test_a_patch_of_two_checkpoints_needs_no_workspace(
    ws: Workspace, project: Path, two: tuple[str, str]
) -> None:
    shutil.rmtree(project)

    assert "+TWO" in list(ws.patch(ws.diff(*two)))


@pytest.mark.parametrize("live", [True, False])
def test_a_file_too_large_for_a_patch_is_said_to_be(
    ws: Workspace, project: Path, live: bool
) -> None:
    (project / "large").write_text("line\n" * 1_000_000)
    first = save(ws)
    (project / "large").write_text("lime\n" * 1_000_000)
    difference = ws.diff(first) if live else ws.diff(first, save(ws))

    lines = list(ws.patch(difference))

    assert lines[:2] == ["--- a/large", "+++ b/large"]
    assert len(lines) == 3
