"""Going back without losing what was edited since."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.errors import BadOption, MergeConflicts, NeedsConfirmation, NoSuchPath
from clew.model.merge_results import ConflictReason
from clew.model.record import Origin
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.kit.walker import differences, look
from tests.operations.moments import names, rescues, save, trail
from tests.worktree.sink import settle


@pytest.fixture
def first(ws: Workspace, project: Path) -> str:
    """The id of a first moment; an agent worked on since, saved that, and then a person edited."""
    (project / "text").write_text("1\n2\n3\n4\n5\n6\n")
    (project / "agent").write_text("first\n")
    (project / "person").write_text("first\n")
    (project / "gone").write_text("first\n")
    settle()
    first = save(ws, "first")
    (project / "text").write_text("1\n2\n3\n4\n5\nagent\n")
    (project / "agent").write_text("agent\n")
    (project / "made").write_text("agent\n")
    (project / "gone").unlink()
    settle()
    save(ws, "agent at work")
    (project / "text").write_text("person\n2\n3\n4\n5\nagent\n")
    (project / "person").write_text("person\n")
    (project / "new").write_text("person\n")
    settle()
    return first


def texts(project: Path) -> dict[str, str]:
    return {name: (project / name).read_text() for name in names(project)}


def test_what_was_done_up_to_here_is_taken_back_and_later_edits_stay(
    ws: Workspace, project: Path, first: str
) -> None:
    result = ws.restore(first, keep_mine=True)

    assert texts(project) == {
        "text": "person\n2\n3\n4\n5\n6\n",
        "agent": "first\n",
        "gone": "first\n",
        "person": "person\n",
        "new": "person\n",
    }
    assert result.verified
    assert not result.is_partial
    assert result.merge is not None
    assert result.merge.merged == (b"text",)
    assert {change.path for change in result.merge.taken} == {b"text", b"agent", b"made", b"gone"}


def test_the_merge_is_a_checkpoint_after_its_rescue_and_can_be_undone(
    ws: Workspace, project: Path, first: str
) -> None:
    before, walked = look(project), trail(ws)
    result = ws.restore(first, keep_mine=True)
    merged = result.here

    assert result.rescue is not None
    assert result.target.id == merged.id
    assert merged.record.parent == result.rescue.id
    assert merged.record.origin == Origin.AUTOMATIC
    assert merged.labels.intent == f"restored {first[:8]}, keeping later edits"
    assert trail(ws)[-2:] == [result.rescue.id.hex(), f"*{merged.id.hex()}*"]
    assert len(trail(ws)) == len(walked) + 2
    assert ws.status().changes == ()

    ws.undo()
    assert differences(before, look(project)) == []


def test_the_checkpoint_holds_what_it_says(ws: Workspace, project: Path, first: str) -> None:
    merged = ws.restore(first, keep_mine=True).here
    saved = ws.save("the same again").checkpoint

    assert saved.record.state == merged.record.state
    assert saved.record.coverage.files == merged.record.coverage.files
    assert saved.record.coverage.total_bytes == merged.record.coverage.total_bytes
    assert ws.store.check(read_data=True).whole


def test_without_later_edits_it_is_an_ordinary_restore_of_the_state(
    ws: Workspace, project: Path
) -> None:
    (project / "a").write_text("1")
    first = save(ws)
    moment = look(project).state()
    (project / "a").write_text("2")
    (project / "b").write_text("2")
    save(ws)
    result = ws.restore(first, keep_mine=True)

    assert look(project).state() == moment
    assert result.rescue is None


def test_conflicts_are_listed_and_nothing_is_changed(
    ws: Workspace, project: Path, first: str
) -> None:
    (project / "agent").write_text("person\n")
    (project / "made").write_text("person\n")
    settle()
    before, walked = look(project), trail(ws)
    with pytest.raises(MergeConflicts) as caught:
        ws.restore(first, keep_mine=True)

    assert [(one.path, one.reason) for one in caught.value.merge.conflicts] == [
        (b"agent", ConflictReason.LINES),
        (b"made", ConflictReason.DELETED_THERE),
    ]
    assert look(project) == before
    assert trail(ws) == walked
    assert rescues(ws) == []
    assert len(ws.log().checkpoints) == 2


@pytest.mark.parametrize(("favour", "agent"), [("ours", "person\n"), ("theirs", "first\n")])
def test_a_favoured_side_decides_conflicts_and_nothing_else(
    ws: Workspace, project: Path, first: str, favour: str, agent: str
) -> None:
    (project / "agent").write_text("person\n")
    settle()
    result = ws.restore(first, keep_mine=True, favour=favour)

    assert texts(project)["agent"] == agent
    assert texts(project)["text"] == "person\n2\n3\n4\n5\n6\n"
    assert result.merge is not None
    assert [one.path for one in result.merge.conflicts] == [b"agent"]


def test_only_chosen_paths_go_back(ws: Workspace, project: Path, first: str) -> None:
    ws.restore(first, keep_mine=True, paths=[str(project / "agent"), str(project / "gone")])

    assert texts(project) == {
        "text": "person\n2\n3\n4\n5\nagent\n",
        "agent": "first\n",
        "made": "agent\n",
        "gone": "first\n",
        "person": "person\n",
        "new": "person\n",
    }


def test_a_path_that_is_nowhere_is_a_slip(ws: Workspace, project: Path, first: str) -> None:
    with pytest.raises(NoSuchPath):
        ws.restore(first, keep_mine=True, paths=[str(project / "no such thing")])


def test_going_back_to_here_changes_nothing(ws: Workspace, project: Path, first: str) -> None:
    before = look(project)
    result = ws.restore("@", keep_mine=True)

    assert look(project) == before
    assert result.merge is not None
    assert result.merge.is_empty
    assert rescues(ws) == []


def test_a_side_decides_only_where_there_is_a_merge(ws: Workspace, first: str) -> None:
    with pytest.raises(BadOption):
        ws.restore(first, favour="theirs")
    with pytest.raises(BadOption):
        ws.restore(first, keep_mine=True, favour="mine")


def test_the_preview_says_what_would_happen_and_writes_nothing(
    ws: Workspace, project: Path, store: Path, first: str
) -> None:
    before, packs = look(project), sorted(os.listdir(store / "packs"))
    preview = ws.preview(first, keep_mine=True)

    assert [one.path for one in preview.created] == [b"gone"]
    assert [one.path for one in preview.replaced] == [b"agent", b"text"]
    assert [one.path for one in preview.deleted] == [b"made"]
    assert preview.merge is not None
    assert preview.merge.merged == (b"text",)
    assert look(project) == before
    assert sorted(os.listdir(store / "packs")) == packs


def test_the_preview_lists_conflicts(ws: Workspace, project: Path, first: str) -> None:
    (project / "agent").write_text("person\n")
    settle()
    preview = ws.preview(first, keep_mine=True)

    assert preview.merge is not None
    assert [one.path for one in preview.merge.conflicts] == [b"agent"]
    assert not preview.needs_confirmation


def test_a_no_leaves_everything_as_it_is(ws: Workspace, project: Path, first: str) -> None:
    before = look(project)
    with pytest.raises(NeedsConfirmation) as caught:
        ws.restore(first, keep_mine=True, confirm=lambda preview: False)

    assert caught.value.preview.merge is not None
    assert look(project) == before
    assert len(ws.log().checkpoints) == 2


def test_an_edit_made_during_the_merge_survives(
    ws: Workspace, project: Path, first: str, host: FakeHost
) -> None:
    host.when("restore.switch", lambda: (project / "agent").write_text("at the last moment\n"))
    result = ws.restore(first, keep_mine=True)

    assert (project / "agent").read_text() == "at the last moment\n"
    assert result.is_partial
    assert result.here.id != result.target.id


def test_an_edit_made_while_somebody_answers_is_merged_or_a_conflict(
    ws: Workspace, project: Path, first: str
) -> None:
    def confirm(_: object) -> bool:
        (project / "new").write_text("later\n")
        (project / "agent").write_text("a conflict by now\n")
        settle()
        return True

    with pytest.raises(MergeConflicts):
        ws.restore(first, keep_mine=True, confirm=confirm)

    assert (project / "new").read_text() == "later\n"
    assert (project / "agent").read_text() == "a conflict by now\n"


def test_a_merge_that_cannot_be_staged_never_was(
    ws: Workspace, project: Path, first: str, host: FakeHost
) -> None:
    before, known = look(project), [one.id for one in ws.log().checkpoints]
    failing = host.at("restore.stage", OSError(5, "no such luck"))
    with failing, pytest.raises(OSError, match="luck"):
        ws.restore(first, keep_mine=True)

    assert look(project) == before
    assert [one.id for one in ws.log().checkpoints if not one.is_rescue] == known
    assert ws._access.store.journal.unfinished(ws.info.uuid) is None


def test_large_texts_are_merged_too(ws: Workspace, project: Path) -> None:
    """Above 1 MiB a file is kept in pieces."""
    lines = [f"line {number}\n" for number in range(120_000)]
    (project / "large").write_text("".join(lines))
    first = save(ws)
    (project / "large").write_text("".join([*lines[:-1], "agent\n"]))
    save(ws)
    (project / "large").write_text("".join(["person\n", *lines[1:-1], "agent\n"]))
    settle()
    preview = ws.preview(first, keep_mine=True)
    result = ws.restore(first, keep_mine=True)

    assert (project / "large").read_text() == "".join(["person\n", *lines[1:]])
    assert result.verified
    assert preview.needed_bytes > 1 << 20
    assert ws.save().checkpoint.record.state == result.here.record.state


def test_what_is_excluded_is_left_alone(ws: Workspace, project: Path) -> None:
    (project / "build").write_text("1")
    (project / "a").write_text("1")
    first = save(ws)
    (project / "build").unlink()
    (project / "a").write_text("2")
    save(ws)
    ws.settings.set("exclude", "build")
    result = ws.restore(first, keep_mine=True)

    assert names(project) == ["a"]
    assert (project / "a").read_text() == "1"
    assert [(item.path, item.reason) for item in result.skipped] == [(b"build", "excluded")]


def test_hard_links_come_back(ws: Workspace, project: Path) -> None:
    (project / "a").write_text("1")
    (project / "b").hardlink_to(project / "a")
    first = save(ws)
    (project / "b").unlink()
    (project / "b").write_text("1")
    save(ws)
    (project / "new").write_text("mine")
    settle()
    result = ws.restore(first, keep_mine=True)

    assert (project / "a").samefile(project / "b")
    assert result.verified
    assert result.here.id == result.target.id


def test_edits_are_still_edits_after_a_part_went_back(
    ws: Workspace, project: Path, first: str
) -> None:
    (project / "agent").write_text("person\n")
    settle()
    ws.restore(first, keep_mine=True, paths=[str(project / "gone")])
    ws.restore(first, keep_mine=True, favour="ours")

    assert texts(project) == {
        "text": "person\n2\n3\n4\n5\n6\n",
        "agent": "person\n",
        "gone": "first\n",
        "person": "person\n",
        "new": "person\n",
    }


def test_edits_are_still_edits_after_they_went_back_once(
    ws: Workspace, project: Path, first: str
) -> None:
    second = ws.resolve("@").id.hex()
    ws.restore(first, keep_mine=True)
    ws.restore(second, keep_mine=True)

    assert texts(project) == {
        "text": "person\n2\n3\n4\n5\nagent\n",
        "agent": "agent\n",
        "made": "agent\n",
        "person": "person\n",
        "new": "person\n",
    }


def test_edits_are_still_edits_after_an_undo(ws: Workspace, project: Path, first: str) -> None:
    ws.restore(first, keep_mine=True)
    after = look(project).state()
    ws.undo()
    ws.restore(first, keep_mine=True)

    assert look(project).state() == after
