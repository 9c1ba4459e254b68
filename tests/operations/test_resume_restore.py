"""A restore that was cut short is finished by the next command, with one rescue and no loss."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from clew import opening
from clew.model.restoring import RestoreResult
from clew.monitor import RecordingMonitor
from clew.operations import finish, restore, room
from clew.store.journal import Journal
from clew.workspace import Workspace
from clew.worktree.stage import Stage, Stager
from clew.worktree.switch import Switch
from tests.kit.walker import Tree, differences, look
from tests.operations.forked import cut, cut_short
from tests.operations.moments import rescues, save, trail

CutHere = Callable[[pytest.MonkeyPatch], None]


def _before(owner: type, name: str, at: int = 1) -> CutHere:
    """Cut before the `at`-th call of a method."""

    def patch(patched: pytest.MonkeyPatch) -> None:
        original = getattr(owner, name)
        calls: list[int] = []

        def method(*arguments: object, **options: object) -> object:
            calls.append(1)
            if len(calls) == at:
                cut()
            return original(*arguments, **options)

        patched.setattr(owner, name, method)

    return patch


CUTS: dict[str, CutHere] = {
    "before anything is staged": _before(Stager, "fill"),
    "with one file staged": _before(Stager, "_write_file", 2),
    "before the stage is durable": _before(Stage, "sync"),
    "before the switch is announced": _before(Journal, "begin_switching"),
    "before the first step": _before(Switch, "run"),
    "between two deletions": _before(Switch, "_delete", 2),
    "with everything in the way gone": _before(Switch, "_make_directory"),
    "before anything is put": _before(Switch, "_put"),
    "between two exchanges": _before(Switch, "_put", 3),
    "before metadata": _before(Switch, "_change_metadata"),
    "before what came out is let go": _before(Switch, "_let_go"),
    "before flags are set": _before(Switch, "_set_forbidding_flags"),
    "before the stage goes": _before(Stage, "remove"),
    "before directories are finished": _before(Switch, "finish_directories"),
    "before the trail moves": _before(Journal, "end"),
}


@pytest.fixture
def moments(ws: Workspace, project: Path) -> tuple[str, Tree, Tree]:
    """The id and the look of a first moment, and the look of a dirty second one."""
    (project / "directory" / "inner").mkdir(parents=True)
    for number in range(4):
        (project / "directory" / f"{number}").write_text(f"first {number}")
    (project / "becomes directory").write_text("a file")
    (project / "becomes file").mkdir()
    (project / "becomes file" / "x").write_text("x")
    (project / "becomes link").write_text("a file")
    (project / "goes").write_text("away")
    (project / "moded").write_text("mode")
    os.link(project / "directory" / "0", project / "twin")
    first = save(ws, "first")
    before = look(project)
    for number in range(4):
        path = project / "directory" / f"{number}"
        path.unlink()
        path.write_text(f"second, longer {number}")
    (project / "becomes directory").unlink()
    (project / "becomes directory").mkdir()
    (project / "becomes directory" / "y").write_text("y")
    shutil.rmtree(project / "becomes file")
    (project / "becomes file").write_text("now a file")
    (project / "becomes link").unlink()
    (project / "becomes link").symlink_to("goes")
    (project / "goes").unlink()
    (project / "new").write_text("new")
    (project / "newer").write_text("newer")
    (project / "moded").chmod(0o600)
    return first, before, look(project)


def _cut_restore(project: Path, store: Path, reference: str, at: CutHere) -> None:
    def body() -> None:
        with pytest.MonkeyPatch.context() as patched:
            at(patched)
            with opening.open(project, store=store) as opened:
                opened.restore(reference)

    cut_short(body)


@pytest.mark.parametrize("at", CUTS)
def test_a_restore_cut_anywhere_is_finished_by_the_next_command(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree], at: str
) -> None:
    first, before, dirty = moments
    _cut_restore(project, store, first, CUTS[at])
    monitor = RecordingMonitor()

    here = ws.resolve("@", monitor=monitor).id.hex()

    assert differences(before, look(project)) == []
    assert here == first
    assert monitor.notices == ["Finishing a restore that was cut short"]
    (rescue,) = rescues(ws)
    assert trail(ws) == [first, rescue, f"*{first}*"]
    ws.undo()
    assert differences(dirty.state(), look(project).state()) == []


@pytest.mark.parametrize("verb", ["save", "log", "status", "undo", "diff", "ls", "preview"])
def test_every_verb_finishes_it_first(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree], verb: str
) -> None:
    first, before, _ = moments
    _cut_restore(project, store, first, CUTS["between two exchanges"])

    verbs: dict[str, Callable[[], object]] = {
        "save": ws.save,
        "log": ws.log,
        "status": ws.status,
        "undo": ws.undo,
        "diff": lambda: ws.diff("@"),
        "ls": lambda: ws.ls("@"),
        "preview": lambda: ws.preview("@"),
    }
    verbs[verb]()

    assert len(rescues(ws)) == 1
    if verb == "undo":
        assert (project / "new").exists()
    else:
        assert differences(before, look(project)) == []


@pytest.mark.parametrize("again", ["between two exchanges", "with one file staged"])
def test_finishing_can_itself_be_cut_short(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree], again: str
) -> None:
    first, before, _ = moments
    _cut_restore(project, store, first, CUTS["between two deletions"])

    def body() -> None:
        with pytest.MonkeyPatch.context() as patched:
            CUTS[again](patched)
            with opening.open(project, store=store) as opened:
                opened.log()

    cut_short(body)
    ws.log()

    assert differences(before, look(project)) == []
    assert len(rescues(ws)) == 1


def test_finishing_that_is_interrupted_is_not_forgotten(
    ws: Workspace,
    project: Path,
    store: Path,
    moments: tuple[str, Tree, Tree],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A Ctrl-C while the rest is staged leaves half a restore: the next command goes on."""
    first, before, _ = moments
    _cut_restore(project, store, first, CUTS["between two exchanges"])

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Stager, "fill", interrupt)
        with pytest.raises(KeyboardInterrupt):
            ws.log()
    ws.log()

    assert differences(before, look(project)) == []
    assert trail(ws)[-1] == f"*{first}*"


# What was done between the cut and the next command


@pytest.mark.parametrize(
    "at", ["before anything is put", "between two exchanges", "before what came out is let go"]
)
def test_an_edit_made_since_the_cut_survives(
    ws: Workspace,
    project: Path,
    store: Path,
    moments: tuple[str, Tree, Tree],
    at: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, _, _ = moments
    _cut_restore(project, store, first, CUTS[at])
    (project / "directory" / "2").write_text("done since")
    (project / "made since").write_text("mine")
    results = _results_of_finishing(monkeypatch)

    ws.log()

    assert (project / "directory" / "2").read_text() == "done since"
    assert (project / "made since").read_text() == "mine"
    (result,) = results
    assert {b"directory/2", b"made since"} <= {item.path for item in result.left_alone}
    assert result.is_partial
    assert ws.resolve("@").id.hex() != first
    assert (project / "directory" / "1").read_text() == "first 1"


def test_a_file_edited_since_the_cut_does_not_make_way(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree]
) -> None:
    first, _, _ = moments
    _cut_restore(project, store, first, CUTS["before the first step"])
    (project / "becomes file").write_text("edited since")

    ws.log()

    assert (project / "becomes file").read_text() == "edited since"
    assert (project / "directory" / "1").read_text() == "first 1"


def test_what_came_out_and_was_written_to_goes_back(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree]
) -> None:
    first, _, _ = moments
    with open(project / "directory" / "1", "a") as held:
        _cut_restore(project, store, first, CUTS["before what came out is let go"])
        assert (project / "directory" / "1").read_text() == "first 1"
        held.write(", and more")
        held.flush()

        ws.log()

    assert (project / "directory" / "1").read_text() == "second, longer 1, and more"


def test_a_stage_that_is_gone_does_no_harm(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree]
) -> None:
    first, before, _ = moments
    _cut_restore(project, store, first, CUTS["between two exchanges"])
    (stage,) = project.glob(".clew-*")
    shutil.rmtree(stage)

    ws.log()

    assert differences(before, look(project)) == []


def test_a_root_that_is_gone_is_made_again(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree]
) -> None:
    first, before, _ = moments
    _cut_restore(project, store, first, CUTS["between two exchanges"])
    shutil.rmtree(project)

    ws.log()

    assert differences(before.state(), look(project).state()) == []


@pytest.mark.parametrize("obstacle", ["no room", "blocked"])
def test_what_cannot_be_finished_now_does_not_keep_anybody_from_looking(
    ws: Workspace,
    project: Path,
    store: Path,
    moments: tuple[str, Tree, Tree],
    obstacle: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, _, _ = moments
    _cut_restore(project, store, first, CUTS["before the first step"])
    if obstacle == "no room":
        monkeypatch.setattr(room, "free_bytes", lambda _: 0)
    else:
        (project / "becomes directory" / "mine").write_text("made since")

    assert len(ws.log().checkpoints) == 2
    assert ws.resolve(first).labels.intent == "first"
    assert b"".join(ws.cat(first, str(project / "goes"))) == b"away"


def test_an_interrupt_while_staging_leaves_everything_as_it_was(
    ws: Workspace,
    project: Path,
    moments: tuple[str, Tree, Tree],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, _, dirty = moments
    original = Stager._write_file
    calls: list[int] = []

    def interrupt(*arguments: object) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Stager, "_write_file", interrupt)
    with pytest.raises(KeyboardInterrupt):
        ws.restore(first)

    assert differences(dirty.state(), look(project).state()) == []
    assert ws._store.journal.unfinished(ws.info.uuid) is None


def test_a_directory_that_was_opened_up_gets_its_mode_back(
    ws: Workspace, project: Path, store: Path
) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "file").write_text("1")
    first = save(ws)
    (project / "sub" / "file").write_text("2")
    _cut_restore(project, store, first, CUTS["before anything is put"])
    (project / "sub").chmod(0o700)
    ws._store.journal.open_directory(ws.info.uuid, b"sub", 0o755, 0)

    ws.log()

    assert (project / "sub").stat().st_mode & 0o777 == 0o755


def _results_of_finishing(monkeypatch: pytest.MonkeyPatch) -> list[RestoreResult]:
    found: list[RestoreResult] = []
    original = restore.carry_out

    def carry_out(*arguments: object, **options: object) -> RestoreResult:
        found.append(original(*arguments, **options))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(finish, "carry_out", carry_out)
    return found
