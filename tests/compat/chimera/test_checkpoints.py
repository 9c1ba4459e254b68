"""The checkpoint manager: names for raw ids, found again by any process."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew import opening
from clew.compat.chimera import CheckpointInfo, CheckpointManager, LocalEnvironment


class Notebook:
    """An environment that is nothing but two methods."""

    def __init__(self) -> None:
        self.page = "blank"
        self._kept: list[str] = []

    def checkpoint(self) -> str:
        self._kept.append(self.page)
        return f"page-{len(self._kept)}"

    def restore(self, checkpoint_id: str) -> None:
        self.page = self._kept[int(checkpoint_id.removeprefix("page-")) - 1]


def test_a_checkpoint_has_a_name_a_time_and_a_description() -> None:
    info = CheckpointInfo("0", "initial", 1_772_807_400.0, "Starting state")

    assert (info.id, info.name, info.description) == ("0", "initial", "Starting state")
    assert re.fullmatch(r"2026-03-0\d \d\d:\d\d:00", info.time_str)
    assert CheckpointInfo("0", "x", 0.0).description == ""


def test_names_are_counted_where_none_is_given(manager: CheckpointManager) -> None:
    assert [manager.create().name for _ in range(2)] == ["checkpoint-1", "checkpoint-2"]
    assert [one.id for one in manager.list_checkpoints()] == ["0", "1"]


def test_it_restores_by_name_and_by_id(project: Path, manager: CheckpointManager) -> None:
    (project / "a").write_text("1")
    first = manager.create("initial", "Starting state")
    (project / "a").write_text("2")
    second = manager.create("after-tests")

    assert manager.restore_by_name("initial") == first
    assert (project / "a").read_text() == "1"
    assert manager.restore_by_id(second.id) == second
    assert (project / "a").read_text() == "2"


def test_a_name_given_twice_hides_nothing(project: Path, manager: CheckpointManager) -> None:
    (project / "a").write_text("1")
    older = manager.create("same")
    (project / "a").write_text("2")
    newer = manager.create("same")

    assert manager.get("same") == newer
    assert manager.list_checkpoints() == [older, newer]
    manager.restore_by_id(older.id)
    assert (project / "a").read_text() == "1"


def test_what_is_not_there_is_said_in_chimeras_words(manager: CheckpointManager) -> None:
    assert manager.get("nope") is None
    with pytest.raises(KeyError, match="No checkpoint named 'nope'"):
        manager.restore_by_name("nope")
    with pytest.raises(KeyError, match="No checkpoint with ID '7'"):
        manager.restore_by_id("7")
    with pytest.raises(KeyError, match="No checkpoint named 'nope'"):
        manager.delete("nope")


def test_records_outlive_the_manager(project: Path, manager: CheckpointManager) -> None:
    (project / "a").write_text("1")
    made = manager.create("kept", "across processes")
    del manager
    (project / "a").write_text("2")
    again = CheckpointManager(LocalEnvironment(project))

    assert again.list_checkpoints() == [made]
    again.undo()
    assert (project / "a").read_text() == "1"


def test_undo_walks_back(project: Path, manager: CheckpointManager) -> None:
    for number in range(3):
        (project / "a").write_text(str(number))
        manager.create(f"at {number}")
    (project / "a").write_text("broken")
    walked = []
    while (info := manager.undo()) is not None:
        walked.append((info.name, (project / "a").read_text()))

    assert walked == [("at 2", "2"), ("at 1", "1"), ("at 0", "0")]


def test_undo_without_checkpoints_is_none(manager: CheckpointManager) -> None:
    assert manager.undo() is None


def test_work_done_after_an_undo_is_what_the_next_undo_takes_back(
    project: Path, manager: CheckpointManager
) -> None:
    (project / "a").write_text("good")
    manager.create("only")
    for _ in range(3):
        (project / "a").write_text("broken")

        assert manager.undo() is not None
        assert (project / "a").read_text() == "good"


def test_a_new_checkpoint_is_the_next_to_go_back_to(
    project: Path, manager: CheckpointManager
) -> None:
    (project / "a").write_text("1")
    manager.create("one")
    manager.undo()
    (project / "a").write_text("2")
    newest = manager.create("two")

    assert manager.undo() == newest


def test_any_object_with_two_methods_is_managed() -> None:
    notebook = Notebook()
    manager = CheckpointManager(notebook)
    for page in ("first", "second"):
        notebook.page = page
        manager.create(page)
    notebook.page = "third"

    assert [one.name for one in (manager.undo(), manager.undo()) if one] == ["second", "first"]
    assert notebook.page == "first"
    assert manager.undo() is None


def test_a_strangers_records_are_found_by_the_name_they_are_given() -> None:
    notebook = Notebook()
    CheckpointManager(notebook, name="my notebook").create("kept")

    assert [one.name for one in CheckpointManager(notebook, name="my notebook").list_checkpoints()]
    assert CheckpointManager(notebook).list_checkpoints() == []


def test_records_can_be_forgotten_one_by_one_and_all(
    project: Path, manager: CheckpointManager
) -> None:
    manager.create("one")
    kept = manager.create("two")
    manager.delete("one")
    assert manager.list_checkpoints() == [kept]
    manager.clear()

    assert manager.list_checkpoints() == []
    LocalEnvironment(project).restore(kept.id)


def test_the_flag_is_a_plain_switch(manager: CheckpointManager) -> None:
    assert manager.auto_checkpoint is False
    manager.auto_checkpoint = True
    assert manager.auto_checkpoint is True


def test_clew_shows_what_was_said(project: Path, manager: CheckpointManager) -> None:
    manager.create("before-refactor", "Clean state")
    with opening.open(project) as workspace:
        labels = workspace.log().checkpoints[0].labels

    assert (labels.intent, labels.description) == ("before-refactor", "Clean state")


def test_the_conversation_comes_along(project: Path, env: LocalEnvironment) -> None:
    with env.workspace() as workspace:
        session = workspace.sessions.open(agent="example")
        session.say({"role": "user", "content": "build it"})
    made = CheckpointManager(env).create("with words")
    with env.workspace() as workspace:
        position = workspace.resolve(env.reference(made.id)).record.position

    assert position.session.hex() == session.id
    assert position.length > 0
