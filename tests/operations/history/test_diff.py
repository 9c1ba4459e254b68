"""Diff: between two checkpoints, or a checkpoint and what is live."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from clew.errors import UnknownReference
from clew.model.change import Change
from clew.monitor import RecordingMonitor
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


def guessed(ws: Workspace, *words: str) -> tuple[list[bytes], list[bytes]]:
    found = ws.diff(*words, guess=True)
    return [change.path for change in found.changes], list(found.within)


def test_a_word_that_names_no_checkpoint_is_a_path(
    ws: Workspace, project: Path, two: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)

    assert guessed(ws, two[0], "sub") == ([b"sub/edited"], [b"sub"])
    assert guessed(ws, two[0], "gone") == ([b"gone"], [b"gone"])  # in the checkpoint only
    assert guessed(ws, "sub") == ([], [b"sub"])
    assert guessed(ws, "sub", "new") == ([], [b"sub", b"new"])
    assert guessed(ws, *two)[1] == []


def test_a_word_that_is_neither_is_refused(
    ws: Workspace, project: Path, two: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    for words in (("nothing",), ("/etc/passwd",), ("HEAD~2",), (two[0], "nothing"), ("sub", "@")):
        with pytest.raises(UnknownReference):
            guessed(ws, *words)
    with pytest.raises(UnknownReference):
        ws.diff("sub")


def test_a_word_that_is_both_is_a_checkpoint(
    ws: Workspace, project: Path, two: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    ws.edit(two[0], name="sub")
    heard = RecordingMonitor()

    found = ws.diff("sub", guess=True, monitor=heard)

    assert found.old is not None
    assert found.old.id.hex() == two[0]
    assert found.within == ()
    (notice,) = heard.notices
    assert notice.endswith("`-- sub` limits the comparison to the path")


def test_ambiguous_names_are_generated_where_something_explains_them(
    ws: Workspace, project: Path
) -> None:
    for place in ("web/build", "notes/build", "go/vendor", "env", "node_modules/a/build"):
        (project / place).mkdir(parents=True)
        (project / place / "a").write_text("1")
    for explanation in (
        "web/package.json",
        "go/go.mod",
        "env/pyvenv.cfg",
        "node_modules/a/Makefile",
    ):
        (project / explanation).write_text("")
    save(ws)
    shutil.rmtree(project / "web")
    for place in ("notes/build", "go/vendor", "env", "node_modules/a/build"):
        (project / place / "a").write_text("2")

    assert ws.diff().generated == (b"env", b"go/vendor", b"web/build")


def test_a_story_that_is_derived_later_is_about_the_same_scan(
    ws: Workspace, project: Path, two: tuple[str, str]
) -> None:
    (project / "sub" / "edited").write_text("three\n")
    (project / "late").write_text("")
    difference = ws.diff()
    (project / "late").unlink()

    story = ws.story(difference)
    assert story is not None
    assert "late" in story.headline
    limited = ws.story(difference._replace(within=(b"sub",)))
    assert limited is not None
    assert [line.text for line in limited.lines] == [limited.headline]
    assert "sub/edited" in limited.headline


def test_a_patch_sets_binary_files_aside_on_request(ws: Workspace, project: Path) -> None:
    save(ws)
    (project / "a.bin").write_bytes(b"\0\1")
    (project / "a.txt").write_text("text\n")
    binary: list[Change] = []
    difference = ws.diff()

    assert "Binary files differ" in list(ws.patch(difference))
    assert list(ws.patch(difference, binary=binary))[-1] == "+text"
    assert [change.path for change in binary] == [b"a.bin"]
