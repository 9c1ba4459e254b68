"""What a fork did comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.errors import (
    BadOption,
    MergeConflicts,
    NeedsConfirmation,
    NoCommonAncestor,
    NoSuchPath,
    UnknownFork,
)
from clew.model.merge_results import ConflictReason
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.kit.walker import differences, look
from tests.operations.moments import names, rescues, save, trail
from tests.worktree.sink import settle

TEXT = [f"{number}\n" for number in range(9)]


@pytest.fixture
def base(ws: Workspace, project: Path) -> str:
    (project / "text").write_text("".join(TEXT))
    (project / "src").mkdir()
    (project / "src" / "a").write_text("base\n")
    (project / "old").write_text("base\n")
    settle()
    return save(ws, "base")


@pytest.fixture
def place(ws: Workspace, base: str, tmp_path: Path) -> Path:
    """The directory of a fork called `fast`, as it was when it grew."""
    ws.forks.create(base, str(tmp_path / "place"), name="fast")
    return tmp_path / "place"


@pytest.fixture
def fork(place: Path, store: Path) -> Iterator[Workspace]:
    with opening.open(place, store=store) as opened:
        yield opened


def work(place: Path) -> None:
    """Do in the fork what can all be taken."""
    (place / "text").write_text("".join([*TEXT[:-1], "fork\n"]))
    (place / "src" / "a").write_text("fork\n")
    (place / "src" / "new").write_text("fork\n")
    (place / "old").unlink()
    settle()


def work_here(project: Path) -> None:
    """Do in the workspace what does not get into its way."""
    (project / "text").write_text("".join(["here\n", *TEXT[1:]]))
    (project / "mine").write_text("here\n")
    settle()


def test_what_a_fork_changed_is_taken_and_the_rest_stays(
    ws: Workspace, project: Path, place: Path
) -> None:
    work(place)
    work_here(project)
    result = ws.forks.adopt("fast")

    assert names(project) == ["mine", "src", "src/a", "src/new", "text"]
    assert (project / "text").read_text() == "".join(["here\n", *TEXT[1:-1], "fork\n"])
    assert (project / "src" / "a").read_text() == "fork\n"
    assert result.verified
    assert not result.is_partial
    assert result.merge is not None
    assert result.merge.name == "fast"
    assert result.merge.merged == (b"text",)


def test_an_adopt_is_a_checkpoint_and_can_be_undone_and_redone(
    ws: Workspace, project: Path, place: Path
) -> None:
    work(place)
    work_here(project)
    before = look(project)
    result = ws.forks.adopt("fast")
    after = look(project)

    assert result.here.labels.intent == "adopted fast"
    assert result.rescue is not None
    assert result.rescue.labels.intent == "before adopting fast"
    assert trail(ws)[-2:] == [result.rescue.id.hex(), f"*{result.here.id.hex()}*"]
    assert ws.status().changes == ()
    ws.undo()
    assert differences(before, look(project)) == []
    ws.redo()
    assert differences(after, look(project)) == []


def test_with_nothing_unsaved_no_rescue_is_needed(
    ws: Workspace, project: Path, place: Path, base: str
) -> None:
    work(place)
    before = look(project)
    result = ws.forks.adopt("fast")

    assert result.rescue is None
    assert trail(ws) == [base, f"*{result.here.id.hex()}*"]
    ws.undo()
    assert differences(before, look(project)) == []


def test_the_state_is_the_forks_where_nothing_else_was_done(
    ws: Workspace, project: Path, place: Path, fork: Workspace
) -> None:
    work(place)
    (place / "src" / "newer").write_text("fork\n")
    tip = fork.save().checkpoint
    result = ws.forks.adopt("fast")

    assert result.here.record.state == tip.record.state
    assert result.here.record.coverage.files == tip.record.coverage.files
    assert result.here.record.coverage.total_bytes == tip.record.coverage.total_bytes
    assert look(project).state() == look(place).state()


def test_what_is_unsaved_in_the_fork_is_saved_there_first(
    ws: Workspace, place: Path, fork: Workspace
) -> None:
    work(place)
    ws.forks.adopt("fast")

    assert fork.status().changes == ()
    assert len(fork.log().checkpoints) == 2


def test_a_fork_that_changed_nothing_has_nothing_to_adopt(
    ws: Workspace, project: Path, place: Path
) -> None:
    work_here(project)
    before = look(project)
    result = ws.forks.adopt("fast")

    assert result.merge is not None
    assert result.merge.is_empty
    assert look(project) == before
    assert rescues(ws) == []
    assert len(ws.log().checkpoints) == 1


def test_what_both_did_alike_is_nothing_to_adopt(ws: Workspace, project: Path, place: Path) -> None:
    for where in (project, place):
        (where / "old").write_text("the same\n")
    settle()
    result = ws.forks.adopt("fast")

    assert result.merge is not None
    assert result.merge.is_empty
    assert rescues(ws) == []


def test_conflicts_are_listed_and_nothing_is_written(
    ws: Workspace, project: Path, place: Path
) -> None:
    work(place)
    (project / "src" / "a").write_text("here\n")
    (project / "old").write_text("here\n")
    settle()
    before = look(project)
    with pytest.raises(MergeConflicts) as caught:
        ws.forks.adopt("fast")

    assert [(one.path, one.reason) for one in caught.value.merge.conflicts] == [
        (b"old", ConflictReason.DELETED_THERE),
        (b"src/a", ConflictReason.LINES),
    ]
    assert look(project) == before
    assert len(ws.log().checkpoints) == 1


@pytest.mark.parametrize(("favour", "text"), [("ours", "here\n"), ("theirs", "fork\n")])
def test_a_favoured_side_decides(
    ws: Workspace, project: Path, place: Path, favour: str, text: str
) -> None:
    work(place)
    work_here(project)
    (project / "src" / "a").write_text("here\n")
    settle()
    ws.forks.adopt("fast", favour=favour)

    assert (project / "src" / "a").read_text() == text
    assert (project / "text").read_text() == "".join(["here\n", *TEXT[1:-1], "fork\n"])


def test_paths_without_conflicts_can_be_taken_first(
    ws: Workspace, project: Path, place: Path
) -> None:
    work(place)
    (project / "old").write_text("here\n")
    settle()
    ws.forks.adopt("fast", paths=[str(project / "src")])

    assert (project / "src" / "a").read_text() == "fork\n"
    assert (project / "old").read_text() == "here\n"
    assert (project / "text").read_text() == "".join(TEXT)
    with pytest.raises(MergeConflicts) as caught:
        ws.forks.adopt("fast")
    assert [one.path for one in caught.value.merge.conflicts] == [b"old"]


def test_what_is_no_fork_no_path_or_no_side_is_refused(
    ws: Workspace, project: Path, place: Path
) -> None:
    work(place)
    with pytest.raises(UnknownFork):
        ws.forks.adopt("slow")
    with pytest.raises(NoSuchPath):
        ws.forks.adopt("fast", paths=[str(project / "nowhere")])
    with pytest.raises(BadOption):
        ws.forks.adopt("fast", favour="mine")


def test_a_no_leaves_everything_as_it_is(ws: Workspace, project: Path, place: Path) -> None:
    work(place)
    before = look(project)
    with pytest.raises(NeedsConfirmation):
        ws.forks.adopt("fast", confirm=lambda preview: False)

    assert look(project) == before
    assert len(ws.log().checkpoints) == 1


def test_a_preview_changes_nothing_here(ws: Workspace, project: Path, place: Path) -> None:
    work(place)
    work_here(project)
    before = look(project)
    preview = ws.forks.preview_adopt("fast")

    assert [one.path for one in preview.created] == [b"src/new"]
    assert [one.path for one in preview.replaced] == [b"src/a", b"text"]
    assert [one.path for one in preview.deleted] == [b"old"]
    assert preview.dirty
    assert look(project) == before
    assert len(ws.log().checkpoints) == 1


def test_a_fork_can_be_adopted_again_after_more_work_in_it(
    ws: Workspace, project: Path, place: Path
) -> None:
    work(place)
    ws.forks.adopt("fast")
    (project / "src" / "a").write_text("fork\nhere\n")
    (place / "src" / "a").write_text("more\nfork\n")
    (place / "old").write_text("back again\n")
    settle()
    save(ws)
    result = ws.forks.adopt("fast")

    assert (project / "src" / "a").read_text() == "more\nfork\nhere\n"
    assert (project / "old").read_text() == "back again\n"
    assert result.merge is not None
    assert ws.forks.adopt("fast").merge._replace(base=result.merge.theirs).is_empty  # type: ignore[union-attr]


def test_an_adopt_that_was_undone_does_not_count(ws: Workspace, project: Path, place: Path) -> None:
    work(place)
    ws.forks.adopt("fast")
    ws.undo()
    ws.forks.adopt("fast")

    assert (project / "src" / "a").read_text() == "fork\n"


def test_a_part_that_was_adopted_says_nothing_of_the_rest(
    ws: Workspace, project: Path, place: Path
) -> None:
    work(place)
    ws.forks.adopt("fast", paths=[str(project / "src")])
    ws.forks.adopt("fast")

    assert (project / "text").read_text() == (place / "text").read_text()


def test_a_base_that_was_deleted_is_replaced_by_the_forks_own_first_checkpoint(
    ws: Workspace, project: Path, place: Path, base: str
) -> None:
    work(place)
    work_here(project)
    save(ws)
    ws.delete([base])
    ws.forks.adopt("fast")

    assert (project / "text").read_text() == "".join(["here\n", *TEXT[1:-1], "fork\n"])


def test_without_any_common_moment_nothing_is_guessed(
    ws: Workspace, project: Path, place: Path, fork: Workspace, base: str
) -> None:
    first = fork.log().checkpoints[-1].id.hex()
    work(place)
    fork.save()
    fork.delete([first])
    work_here(project)
    save(ws)
    ws.delete([base])
    with pytest.raises(NoCommonAncestor):
        ws.forks.adopt("fast")


def test_a_fork_without_its_directory_is_adopted_from_its_history(
    ws: Workspace, project: Path, place: Path, fork: Workspace
) -> None:
    import shutil

    work(place)
    fork.save()
    shutil.rmtree(place)
    ws.forks.adopt("fast")

    assert (project / "src" / "a").read_text() == "fork\n"


def test_an_edit_made_during_the_adopt_survives(
    ws: Workspace, project: Path, place: Path, host: FakeHost
) -> None:
    work(place)

    def edit() -> None:
        (project / "old").write_text("at the last moment\n")
        (project / "src" / "new").write_text("at the last moment\n")

    host.when("restore.switch", edit)
    result = ws.forks.adopt("fast")

    assert (project / "old").read_text() == "at the last moment\n"
    assert (project / "src" / "new").read_text() == "at the last moment\n"
    assert {item.path for item in result.skipped} == {b"old", b"src/new"}
    assert result.is_partial


def test_what_the_base_did_not_cover_is_not_deleted_by_a_copy_that_lacks_it(
    ws: Workspace, project: Path, tmp_path: Path
) -> None:
    (project / "build").mkdir()
    (project / "build" / "out").write_text("mine")
    (project / "a").write_text("1")
    ws.settings.set("exclude", "build")
    settle()
    ws.forks.create(save(ws), str(tmp_path / "place"), name="fast")
    (tmp_path / "place" / "a").write_text("2")
    settle()
    result = ws.forks.adopt("fast")

    assert (project / "build" / "out").read_text() == "mine"
    assert (project / "a").read_text() == "2"
    assert result.skipped == ()
    assert not result.is_partial


def test_a_database_that_both_wrote_to_is_one_conflict(
    ws: Workspace, project: Path, tmp_path: Path
) -> None:
    import apsw

    connection = apsw.Connection(str(project / "app.db"))
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    settle()
    place = tmp_path / "place"
    ws.forks.create(save(ws), str(place), name="fast")
    held = []
    for where in (project, place):
        writer = apsw.Connection(str(where / "app.db"))
        writer.execute("INSERT INTO t VALUES (?)", (where.name,))
        held.append(writer)
    settle()
    with pytest.raises(MergeConflicts) as caught:
        ws.forks.adopt("fast")
    for writer in held:
        writer.close()

    assert [(one.path, one.reason) for one in caught.value.merge.conflicts] == [
        (b"app.db", ConflictReason.DATABASE)
    ]
