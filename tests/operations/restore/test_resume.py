"""An interrupted restore is continued or aborted, with one rescue and no loss; looking leaves it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from clew import errors, opening
from clew.model.restore_results import SkipReason
from clew.monitor import Monitor, RecordingMonitor
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.kit.walker import Tree, differences, look
from tests.operations.forks.forked import cut, cut_short
from tests.operations.moments import rescues, save, trail

STAGED_ONE = "one file is staged"
"""The report of progress after the first staged file."""


class Cut(NamedTuple):
    """A fail point, or a report of progress, and the time at which it is reached."""

    point: str
    number: int = 1


CUTS = {
    "before anything is staged": Cut("restore.stage"),
    "with one file staged": Cut(STAGED_ONE),
    "before the stage is durable": Cut("restore.sync-stage"),
    "before the switch is announced": Cut("restore.announce"),
    "before the first step": Cut("restore.switch"),
    "between two deletions": Cut("restore.delete", 2),
    "with everything in the way gone": Cut("restore.make-directory"),
    "before anything is put": Cut("restore.put"),
    "between two exchanges": Cut("restore.put", 3),
    "before metadata": Cut("restore.metadata"),
    "before what came out is let go": Cut("restore.let-go"),
    "before flags are set": Cut("restore.flags"),
    "before the stage goes": Cut("restore.remove-stage"),
    "before directories are finished": Cut("restore.finish-directories"),
    "before the trail moves": Cut("restore.commit"),
}


class StagingMonitor(Monitor):
    """Acts when the first file is staged."""

    def __init__(self, act: Callable[[], object]) -> None:
        self._act = act

    def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
        if phase == "stage":
            self._act()


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
    (project / "goes away").mkdir()
    (project / "goes away" / "old").write_text("goes with it")
    return first, before, look(project)


@contextmanager
def _cutting(project: Path, store: Path, at: Cut) -> Iterator[Workspace]:
    """Open a workspace whose restore is cut."""
    host = FakeHost()
    host.when(at.point, cut, at.number)
    with opening.open(project, store=store, host=host) as opened:
        if at.point == STAGED_ONE:
            opened.monitor = StagingMonitor(cut)
        yield opened


def _cut_restore(project: Path, store: Path, reference: str, at: Cut) -> None:
    def body() -> None:
        with _cutting(project, store, at) as opened:
            opened.restore(reference)

    cut_short(body)


@pytest.mark.parametrize("at", CUTS)
def test_a_restore_cut_anywhere_can_be_continued(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree], at: str
) -> None:
    first, before, dirty = moments
    _cut_restore(project, store, first, CUTS[at])

    result = ws.continue_restore()

    assert differences(before, look(project)) == []
    assert not result.is_partial, (result.skipped, result.problems)
    assert ws.interrupted_restore() is None
    (rescue,) = rescues(ws)
    assert trail(ws) == [first, rescue, f"*{first}*"]
    ws.undo()
    assert differences(dirty.state(), look(project).state()) == []


@pytest.mark.parametrize("abort", [False, True])
@pytest.mark.parametrize(
    "at", ["with one file staged", "between two exchanges", "before what came out is let go"]
)
def test_times_that_no_checkpoint_holds_are_not_later_work(
    ws: Workspace,
    project: Path,
    store: Path,
    moments: tuple[str, Tree, Tree],
    at: str,
    abort: bool,
) -> None:
    """A rescue is not made for times alone, so the checkpoint before the restore has others."""
    first, before, dirty = moments
    save(ws, "second")
    for path in ("moded", "directory/3", "new"):
        os.utime(project / path, ns=(1, 1))
    _cut_restore(project, store, first, CUTS[at])

    result = ws.abort_restore() if abort else ws.continue_restore()

    expected = dirty if abort else before
    assert differences(expected.state(), look(project).state()) == []
    assert not result.is_partial, (result.skipped, result.problems)
    assert rescues(ws) == []


@pytest.mark.parametrize("at", CUTS)
def test_a_restore_cut_anywhere_can_be_aborted(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree], at: str
) -> None:
    first, before, dirty = moments
    _cut_restore(project, store, first, CUTS[at])

    result = ws.abort_restore()

    assert differences(dirty.state(), look(project).state()) == []
    assert not result.is_partial, (result.skipped, result.problems)
    assert result.aborted
    assert ws.interrupted_restore() is None
    assert trail(ws) == [f"*{first}*"]
    assert len(rescues(ws)) == 1
    ws.restore(first)
    assert differences(before, look(project)) == []


@pytest.mark.parametrize("verb", ["log", "status", "diff", "ls", "preview", "show", "resolve"])
def test_looking_reports_it_and_changes_nothing(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree], verb: str
) -> None:
    first, _, _ = moments
    _cut_restore(project, store, first, CUTS["between two exchanges"])
    half = look(project)
    ws.monitor = monitor = RecordingMonitor()

    verbs: dict[str, Callable[[], object]] = {
        "log": ws.log,
        "status": ws.status,
        "diff": lambda: ws.diff("@"),
        "ls": lambda: ws.ls("@"),
        "preview": lambda: ws.preview("@"),
        "show": lambda: ws.show("@"),
        "resolve": lambda: ws.resolve("@"),
    }
    verbs[verb]()

    assert differences(half, look(project)) == []
    assert monitor.notices == [
        f"The restore to {first[:8]} (first) was interrupted: some files have changed",
        "Finish it with `clew restore --continue`, or undo it with `clew restore --abort`",
    ]
    pending = ws.interrupted_restore()
    assert pending is not None
    assert pending.has_moved
    assert pending.target is not None
    assert pending.target.id.hex() == first


@pytest.mark.parametrize("verb", ["save", "undo", "restore"])
def test_the_next_verb_that_writes_continues_it_and_says_so(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree], verb: str
) -> None:
    first, before, _ = moments
    _cut_restore(project, store, first, CUTS["between two exchanges"])
    ws.monitor = monitor = RecordingMonitor()

    verbs: dict[str, Callable[[], object]] = {
        "save": ws.save,
        "undo": ws.undo,
        "restore": lambda: ws.restore("@"),
    }
    verbs[verb]()

    assert monitor.notices[0] == f"Continuing the interrupted restore to {first[:8]} (first) first"
    assert ws.continued_restore is not None
    assert ws.continued_restore.target.id.hex() == first
    assert len(rescues(ws)) == 1
    if verb == "undo":
        assert (project / "new").exists()
    else:
        assert differences(before, look(project)) == []


@pytest.mark.parametrize("origin", ["hook", "automatic"])
def test_what_saves_by_itself_keeps_what_is_there_and_leaves_the_restore(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree], origin: str
) -> None:
    first, before, _ = moments
    _cut_restore(project, store, first, CUTS["between two exchanges"])
    half = look(project)
    (project / "made since").write_text("mine")

    saved = ws.save("by itself", origin=origin)

    assert ws.interrupted_restore() is not None
    (project / "made since").unlink()
    assert differences(half.state(), look(project).state()) == []
    assert b"".join(ws.cat(saved.checkpoint.id.hex(), str(project / "made since"))) == b"mine"
    ws.continue_restore()
    assert differences(before.state(), look(project).state()) == []


@pytest.mark.parametrize("again", ["between two exchanges", "with one file staged"])
@pytest.mark.parametrize("way", ["continue", "abort"])
def test_resuming_can_itself_be_cut_short(
    ws: Workspace,
    project: Path,
    store: Path,
    moments: tuple[str, Tree, Tree],
    again: str,
    way: str,
) -> None:
    first, before, dirty = moments
    _cut_restore(project, store, first, CUTS["between two exchanges"])

    def body() -> None:
        with _cutting(project, store, CUTS[again]) as opened:
            opened.abort_restore() if way == "abort" else opened.continue_restore()

    cut_short(body)
    ws.continue_restore()

    if way == "abort":
        assert differences(dirty.state(), look(project).state()) == []
        assert trail(ws) == [f"*{first}*"]
    else:
        assert differences(before, look(project)) == []
    assert len(rescues(ws)) == 1


def test_where_nothing_was_interrupted_there_is_nothing_to_continue_or_abort(
    ws: Workspace,
) -> None:
    ws.save()
    with pytest.raises(errors.NoInterruptedRestore):
        ws.continue_restore()
    with pytest.raises(errors.NoInterruptedRestore):
        ws.abort_restore()


def test_finishing_that_is_interrupted_is_not_forgotten(
    ws: Workspace,
    project: Path,
    store: Path,
    moments: tuple[str, Tree, Tree],
    host: FakeHost,
) -> None:
    """A Ctrl-C while the rest is staged leaves half a restore: the next command goes on."""
    first, before, _ = moments
    _cut_restore(project, store, first, CUTS["between two exchanges"])

    with (
        host.at("restore.stage", KeyboardInterrupt()),
        pytest.raises(errors.RestoreInterrupted) as interrupted,
    ):
        ws.continue_restore()
    assert interrupted.value.pending is not None
    ws.continue_restore()

    assert differences(before, look(project)) == []
    assert trail(ws)[-1] == f"*{first}*"


# What was done between the cut and the next command


class Edit(NamedTuple):
    """Something a person does after the cut, and where it must still be found."""

    act: Callable[[Path], object]
    holds: Callable[[Path], object]
    told: bytes


def _replace_by_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("mine")


def _make_file_of(path: Path) -> None:
    shutil.rmtree(path)
    path.write_text("mine")


def _link_elsewhere(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to("mine")


def _rename(project: Path) -> None:
    (project / "directory" / "2").rename(project / "directory" / "renamed")


EDITS: dict[str, Edit] = {
    "an edit": Edit(
        lambda at: (at / "directory" / "2").write_text("done since"),
        lambda at: (at / "directory" / "2").read_text() == "done since",
        b"directory/2",
    ),
    "a new file": Edit(
        lambda at: (at / "made since").write_text("mine"),
        lambda at: (at / "made since").read_text() == "mine",
        b"made since",
    ),
    "a new empty directory": Edit(
        lambda at: (at / "empty").mkdir(),
        lambda at: (at / "empty").is_dir(),
        b"empty",
    ),
    "a new file in a directory that is to go": Edit(
        lambda at: (at / "goes away" / "mine").write_text("mine"),
        lambda at: (at / "goes away" / "mine").read_text() == "mine",
        b"goes away/mine",
    ),
    "a file turned into a directory": Edit(
        lambda at: _replace_by_directory(at / "directory" / "2"),
        lambda at: (at / "directory" / "2" / "inside").read_text() == "mine",
        b"directory/2",
    ),
    "a directory turned into a file": Edit(
        lambda at: _make_file_of(at / "directory"),
        lambda at: (at / "directory").read_text() == "mine",
        b"directory",
    ),
    "a rename": Edit(
        _rename,
        lambda at: (at / "directory" / "renamed").read_text() in ("first 2", "second, longer 2"),
        b"directory/renamed",
    ),
    "a directory renamed": Edit(
        lambda at: (at / "directory").rename(at / "folder"),
        lambda at: (at / "folder" / "1").exists() and not (at / "directory").exists(),
        b"folder",
    ),
    "a deletion": Edit(
        lambda at: (at / "directory" / "2").unlink(),
        lambda at: not (at / "directory" / "2").exists(),
        b"directory/2",
    ),
    "a chmod": Edit(
        lambda at: (at / "directory" / "2").chmod(0o751),
        lambda at: (at / "directory" / "2").stat().st_mode & 0o777 == 0o751,
        b"directory/2",
    ),
    "a chmod of a file whose mode is restored": Edit(
        lambda at: (at / "moded").chmod(0o421),
        lambda at: (at / "moded").stat().st_mode & 0o777 == 0o421,
        b"moded",
    ),
    "a chmod of a directory": Edit(
        lambda at: (at / "directory").chmod(0o751),
        lambda at: (at / "directory").stat().st_mode & 0o777 == 0o751,
        b"directory",
    ),
    "a chmod of the root": Edit(
        lambda at: at.chmod(0o751),
        lambda at: at.stat().st_mode & 0o777 == 0o751,
        b"",
    ),
    "a chmod of a directory that is to go": Edit(
        lambda at: (at / "goes away").chmod(0o751),
        lambda at: (at / "goes away").stat().st_mode & 0o777 == 0o751,
        b"goes away",
    ),
    "an attribute": Edit(
        lambda at: os.setxattr(at / "directory" / "2", "user.mine", b"1"),
        lambda at: os.getxattr(at / "directory" / "2", "user.mine") == b"1",
        b"directory/2",
    ),
    "an attribute of a directory": Edit(
        lambda at: os.setxattr(at / "directory", "user.mine", b"1"),
        lambda at: os.getxattr(at / "directory", "user.mine") == b"1",
        b"directory",
    ),
    "another link": Edit(
        lambda at: _link_elsewhere(at / "becomes link"),
        lambda at: os.readlink(at / "becomes link") == "mine",
        b"becomes link",
    ),
}


_EDITED_AT = (
    "before the first step",
    "between two exchanges",
    "before what came out is let go",
    "before directories are finished",
)


def _cases() -> Iterator[tuple[str, str, str]]:
    for at in _EDITED_AT:
        for edit in EDITS:
            if at != _EDITED_AT[0] and "is to go" in edit:
                continue  # it is gone by then
            yield at, edit, "continue"
            yield at, edit, "abort"
    for edit in EDITS:
        yield _EDITED_AT[0], edit, "save"


@pytest.mark.parametrize(("at", "edit", "way"), list(_cases()))
def test_what_was_done_since_the_cut_is_not_lost_and_told(
    ws: Workspace,
    project: Path,
    store: Path,
    moments: tuple[str, Tree, Tree],
    at: str,
    edit: str,
    way: str,
) -> None:
    first, _, _ = moments
    _cut_restore(project, store, first, CUTS[at])
    act, holds, told = EDITS[edit]
    act(project)

    if way == "save":
        ws.save()
        result = ws.continued_restore
    else:
        result = ws.abort_restore() if way == "abort" else ws.continue_restore()

    assert holds(project)
    assert result is not None
    assert told in {item.path for item in result.skipped}
    assert result.is_partial
    assert ws.interrupted_restore() is None
    assert not list(project.glob(".clew-*"))
    assert (project / "goes").exists() == (way != "abort")


@pytest.mark.parametrize("way", ["continue", "abort"])
@pytest.mark.parametrize("name", ["mine", "3", "12345"])
@pytest.mark.parametrize("at", ["with one file staged", "between two exchanges"])
def test_a_directory_in_the_stage_is_kept_aside_and_told(
    ws: Workspace,
    project: Path,
    store: Path,
    moments: tuple[str, Tree, Tree],
    at: str,
    name: str,
    way: str,
) -> None:
    first, _, _ = moments
    _cut_restore(project, store, first, CUTS[at])
    (stage,) = project.glob(".clew-*")
    if (stage / name).exists():
        (stage / name).rename(project / "moved out of the stage")
    (stage / name).mkdir()
    (stage / name / "file").write_text("mine")

    result = ws.abort_restore() if way == "abort" else ws.continue_restore()

    (kept,) = project.rglob("*.kept-*")
    assert (kept / "file").read_text() == "mine"
    assert SkipReason.KEPT_ASIDE in {item.reason for item in result.skipped}
    assert result.is_partial
    ws.save()
    assert ws.continued_restore is None


def test_what_came_out_and_was_written_to_goes_back(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree]
) -> None:
    first, _, _ = moments
    with open(project / "directory" / "1", "a") as held:
        _cut_restore(project, store, first, CUTS["before what came out is let go"])
        assert (project / "directory" / "1").read_text() == "first 1"
        held.write(", and more")
        held.flush()

        ws.continue_restore()

    assert (project / "directory" / "1").read_text() == "second, longer 1, and more"


@pytest.mark.parametrize("way", ["continue", "abort"])
def test_what_came_out_is_kept_beside_what_somebody_put_in_its_place(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree], way: str
) -> None:
    """A program appends to the old file, and the log is rotated: both are needed."""
    first, _, _ = moments
    with open(project / "directory" / "1", "a") as held:
        _cut_restore(project, store, first, CUTS["before what came out is let go"])
        held.write(", and more")
        held.flush()
        (project / "fresh").write_text("a new file")
        (project / "fresh").rename(project / "directory" / "1")

        result = ws.abort_restore() if way == "abort" else ws.continue_restore()

    assert (project / "directory" / "1").read_text() == "a new file"
    (kept,) = (project / "directory").glob("1.kept-*")
    assert kept.read_text() == "second, longer 1, and more"
    told = {item.path for item in result.skipped}
    assert {b"directory/1", b"directory/" + os.fsencode(kept.name)} <= told
    assert result.is_partial


def test_a_stage_that_is_gone_does_no_harm(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree]
) -> None:
    first, before, _ = moments
    _cut_restore(project, store, first, CUTS["between two exchanges"])
    (stage,) = project.glob(".clew-*")
    shutil.rmtree(stage)

    ws.continue_restore()

    assert differences(before, look(project)) == []


def test_a_root_that_is_gone_is_made_again(
    ws: Workspace, project: Path, store: Path, moments: tuple[str, Tree, Tree]
) -> None:
    first, before, _ = moments
    _cut_restore(project, store, first, CUTS["between two exchanges"])
    shutil.rmtree(project)

    ws.continue_restore()

    assert differences(before.state(), look(project).state()) == []


def test_what_cannot_be_continued_keeps_nobody_from_looking_saving_or_aborting(
    ws: Workspace,
    project: Path,
    store: Path,
    moments: tuple[str, Tree, Tree],
    host: FakeHost,
) -> None:
    first, _, dirty = moments
    _cut_restore(project, store, first, CUTS["before the first step"])
    ws.monitor = monitor = RecordingMonitor()
    host.free[project] = 0

    assert len(ws.log().checkpoints) == 2
    assert b"".join(ws.cat(first, str(project / "goes"))) == b"away"
    saved = ws.save("as it is")
    with pytest.raises(errors.RestorePending, match="Cannot continue the restore to"):
        ws.restore(saved.checkpoint.id.hex())
    ws.abort_restore()
    assert any("saving the current state" in notice for notice in monitor.notices)
    assert differences(dirty.state(), look(project).state()) == []


def test_an_interrupt_while_staging_leaves_everything_as_it_was(
    ws: Workspace,
    project: Path,
    moments: tuple[str, Tree, Tree],
) -> None:
    first, _, dirty = moments

    def interrupt() -> None:
        raise KeyboardInterrupt

    ws.monitor = StagingMonitor(interrupt)
    with pytest.raises(errors.RestoreInterrupted) as interrupted:
        ws.restore(first)

    assert interrupted.value.pending is None
    assert differences(dirty.state(), look(project).state()) == []
    assert ws._access.store.journal.unfinished(ws.info.uuid) is None


def test_a_directory_that_was_opened_up_gets_its_mode_back(
    ws: Workspace, project: Path, store: Path
) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "file").write_text("1")
    (project / "sub").chmod(0o555)
    first = save(ws)
    (project / "sub" / "file").write_text("2")
    _cut_restore(project, store, first, CUTS["before anything is put"])
    (project / "sub").chmod(0o755)
    ws._access.store.journal.open_directory(ws.info.uuid, b"sub", 0o555, 0)

    ws.continue_restore()

    assert (project / "sub").stat().st_mode & 0o777 == 0o555
