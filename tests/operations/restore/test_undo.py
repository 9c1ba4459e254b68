"""Undo and redo walk the trail exactly as the design draws it."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import (
    BadOption,
    DirtyWorkspace,
    NeedsConfirmation,
    NothingToRedo,
    NothingToUndo,
)
from clew.workspace import Workspace
from tests.operations.moments import rescues, save, trail


def write(project: Path, text: str) -> None:
    (project / "file").write_text(text)


def read(project: Path) -> str:
    return (project / "file").read_text()


def test_saves_are_a_line_with_here_at_its_end(ws: Workspace, project: Path) -> None:
    ids = []
    for text in ("1", "2", "3"):
        write(project, text)
        ids.append(save(ws))

    assert trail(ws) == [ids[0], ids[1], f"*{ids[2]}*"]


def test_the_walk_of_the_design(ws: Workspace, project: Path) -> None:
    """Save A, edit, restore A gives [A, R, *A*]; undo gives R; undo A; save B gives [A, *B*]."""
    write(project, "first")
    a = save(ws)
    write(project, "edited")
    restored = ws.restore(a)
    assert restored.rescue is not None
    r = restored.rescue.id.hex()
    assert trail(ws) == [a, r, f"*{a}*"]
    assert read(project) == "first"

    assert ws.undo().rescue is None
    assert (trail(ws), read(project)) == ([a, f"*{r}*", a], "edited")

    ws.undo()
    assert (trail(ws), read(project)) == ([f"*{a}*", r, a], "first")

    write(project, "second")
    b = save(ws)

    assert trail(ws) == [a, f"*{b}*"]
    assert [found.id.hex() for found in ws.log().checkpoints] == [b, r, a]


def test_a_clean_restore_appends_without_a_rescue(ws: Workspace, project: Path) -> None:
    write(project, "1")
    a = save(ws)
    write(project, "2")
    b = save(ws)

    result = ws.restore(a)

    assert result.rescue is None
    assert trail(ws) == [a, b, f"*{a}*"]


def test_undo_of_unsaved_work_rescues_it_and_gives_here_back(ws: Workspace, project: Path) -> None:
    write(project, "saved")
    a = save(ws)
    write(project, "unsaved")

    result = ws.undo()

    assert result.rescue is not None
    assert read(project) == "saved"
    assert trail(ws) == [f"*{a}*", result.rescue.id.hex()]
    ws.redo()
    assert read(project) == "unsaved"


def test_undo_takes_back_an_undo_with_redo(ws: Workspace, project: Path) -> None:
    for text in ("1", "2", "3"):
        write(project, text)
        save(ws)

    seen = []
    for verb in (ws.undo, ws.undo, ws.redo, ws.redo):
        verb()
        seen.append(read(project))

    assert seen == ["2", "1", "2", "3"]
    assert rescues(ws) == []


def test_several_steps_at_once_are_as_many_single_ones(ws: Workspace, project: Path) -> None:
    for text in ("1", "2", "3", "4"):
        write(project, text)
        save(ws)

    ws.undo(3)

    assert read(project) == "1"
    with pytest.raises(NothingToUndo):
        ws.undo()


@pytest.mark.parametrize(("steps", "expected"), [(1, "2"), (2, "1"), (3, None)])
def test_several_steps_with_unsaved_work(
    ws: Workspace, project: Path, steps: int, expected: str | None
) -> None:
    """The first takes the work away, then the older moments follow."""
    for text in ("1", "2"):
        write(project, text)
        save(ws)
    write(project, "unsaved")

    if expected is None:
        with pytest.raises(NothingToUndo):
            ws.undo(steps)
        assert read(project) == "unsaved"
        assert rescues(ws) == []
    else:
        ws.undo(steps)
        assert read(project) == expected
        assert len(rescues(ws)) == 1


@pytest.mark.parametrize("steps", [0, -1])
def test_no_steps_are_no_undo(ws: Workspace, steps: int) -> None:
    save(ws)
    with pytest.raises(BadOption):
        ws.undo(steps)


def test_there_is_nothing_to_undo_or_redo_before_the_first_save(ws: Workspace) -> None:
    with pytest.raises(NothingToUndo):
        ws.undo()
    with pytest.raises(NothingToRedo):
        ws.redo()


def test_redo_is_refused_while_there_is_unsaved_work(ws: Workspace, project: Path) -> None:
    for text in ("1", "2"):
        write(project, text)
        save(ws)
    ws.undo()
    write(project, "unsaved")

    with pytest.raises(DirtyWorkspace):
        ws.redo()

    assert read(project) == "unsaved"


def test_a_change_of_direction_ends_what_could_be_redone(ws: Workspace, project: Path) -> None:
    for text in ("1", "2"):
        write(project, text)
        save(ws)
    ws.undo()
    write(project, "elsewhere")
    save(ws)

    with pytest.raises(NothingToRedo):
        ws.redo()


def test_a_touched_file_alone_is_no_unsaved_work(ws: Workspace, project: Path) -> None:
    for text in ("1", "2"):
        write(project, text)
        save(ws)
    (project / "file").touch()

    result = ws.undo()

    assert result.rescue is None
    assert read(project) == "1"


def test_entries_whose_checkpoint_was_deleted_are_passed_over(ws: Workspace, project: Path) -> None:
    ids = []
    for text in ("1", "2", "3"):
        write(project, text)
        ids.append(save(ws))
    ws.delete([ids[1]])

    ws.undo()
    assert read(project) == "1"
    ws.redo()

    assert read(project) == "3"


def test_a_no_changes_nothing(ws: Workspace, project: Path) -> None:
    for text in ("1", "2"):
        write(project, text)
        save(ws)
    before = trail(ws)

    with pytest.raises(NeedsConfirmation) as refused:
        ws.undo(confirm=lambda _: False)

    assert [planned.path for planned in refused.value.preview.replaced] == [b"file"]
    assert (read(project), trail(ws)) == ("2", before)


def test_an_undo_after_the_root_was_deleted_brings_it_back(ws: Workspace, project: Path) -> None:
    write(project, "saved")
    save(ws)
    (project / "file").unlink()
    project.rmdir()

    ws.undo()

    assert read(project) == "saved"


def test_some_paths_restored_are_a_step_of_their_own(ws: Workspace, project: Path) -> None:
    write(project, "1")
    (project / "other").write_text("1")
    a = save(ws)
    write(project, "2")
    (project / "other").write_text("2")
    b = save(ws)

    result = ws.restore(a, paths=[str(project / "file")])

    m = result.here.id.hex()
    assert m not in (a, b)
    assert trail(ws) == [a, b, f"*{m}*"]
    ws.undo()
    assert (read(project), (project / "other").read_text()) == ("2", "2")
    ws.redo()
    assert (read(project), (project / "other").read_text()) == ("1", "2")
