"""Tasks without a session in hand: of the one attached, of another, or of one begun for them."""

from __future__ import annotations

import pytest

from clew.errors import BadOption, NoSession, TaskEnded, UnknownSession, UnknownTask
from clew.model.task import TaskStatus, count_tasks
from clew.workspace import Workspace


def test_a_task_begins_a_session_where_none_is_attached(ws: Workspace) -> None:
    first = ws.tasks.add("one")
    second = ws.tasks.add("two")

    assert (first.is_new_session, second.is_new_session) == (True, False)
    assert first.session.native == "tasks"
    assert [task.title for task in ws.tasks.list().tasks] == ["one", "two"]
    assert ws.sessions.current().id == first.session.text_id


def test_a_task_goes_to_the_session_that_is_attached(ws: Workspace) -> None:
    other = ws.sessions.open(agent="other")
    attached = ws.sessions.open(agent="attached")
    ws.tasks.add("mine")
    ws.tasks.add("theirs", session=other.id)

    assert [task.title for task in attached.tasks()] == ["mine"]
    assert [task.title for task in ws.tasks.list(session=other.id).tasks] == ["theirs"]


@pytest.mark.parametrize("title", ["", "  ", "\n\t"])
def test_a_task_without_a_title_begins_nothing(ws: Workspace, title: str) -> None:
    with pytest.raises(BadOption, match="a title is required"):
        ws.tasks.add(title)

    assert ws.sessions.all() == []


def test_titles_are_kept_whatever_they_look_like_but_for_secrets(ws: Workspace) -> None:
    ws.tasks.add("../a/b\nc\x1b[31m")
    ws.tasks.add("log in with password=hunter2hunter2")
    titles = [task.title for task in ws.tasks.list().tasks]

    assert titles == ["../a/b\nc\x1b[31m", "log in with password=[redacted]"]


def test_a_status_says_how_far_a_task_is(ws: Workspace) -> None:
    for title in "abcde":
        ws.tasks.add(title)
    for number, status in enumerate(TaskStatus.ALL, 1):
        ws.tasks.mark(number, status, note=f"note {number}")
    found = ws.tasks.list().tasks

    assert [task.status for task in found] == list(TaskStatus.ALL)
    assert found[2].note == "note 3"
    assert count_tasks(found) == dict.fromkeys(TaskStatus.ALL, 1)


def test_what_makes_no_sense_changes_nothing(ws: Workspace) -> None:
    ws.tasks.add("one")
    ws.tasks.mark(1, TaskStatus.COMPLETED, note="first")
    before = ws.tasks.list()
    with pytest.raises(TaskEnded, match="Task 1 is already completed: 'one'"):
        ws.tasks.mark(1, TaskStatus.COMPLETED, note="second")
    with pytest.raises(UnknownTask, match="No such task: '2'"):
        ws.tasks.mark(2, TaskStatus.COMPLETED)
    with pytest.raises(BadOption, match="must be one of"):
        ws.tasks.mark(1, "finished")
    with pytest.raises(UnknownSession):
        ws.tasks.add("x", session="nobody")

    assert ws.tasks.list() == before


def test_without_a_session_there_is_nothing_to_list_or_resume(ws: Workspace) -> None:
    for ask in (ws.tasks.list, ws.tasks.resume):
        with pytest.raises(NoSession):
            ask()


def test_resume_gives_the_first_task_that_is_not_ended(ws: Workspace) -> None:
    for title in ("a", "b", "c"):
        ws.tasks.add(title)
    ws.tasks.mark(1, TaskStatus.FAILED)
    ws.tasks.mark(3, TaskStatus.IN_PROGRESS)
    found = ws.tasks.resume()

    assert found.task is not None
    assert found.task.title == "b"
    assert found.checkpoint is None


def test_resume_continues_from_here_where_that_is_of_the_session(ws: Workspace) -> None:
    ws.tasks.add("a")
    first = ws.save("first").checkpoint
    ws.save("second")
    ws.restore(first.id.hex())
    found = ws.tasks.resume().checkpoint

    assert found is not None
    assert found.id == first.id
    assert found.is_here


def test_resume_continues_from_the_sessions_newest_where_somebody_else_was_last(
    ws: Workspace,
) -> None:
    ws.tasks.add("a")
    mine = ws.save("mine").checkpoint
    ws.save("nobody's", session="none")
    found = ws.tasks.resume().checkpoint

    assert found is not None
    assert found.id == mine.id
    assert not found.is_here
    assert found.tasks is not None
    assert [task.title for task in found.tasks] == ["a"]


def test_when_all_is_done_resume_says_so(ws: Workspace) -> None:
    ws.tasks.add("a")
    ws.tasks.mark(1, TaskStatus.SKIPPED)

    assert ws.tasks.resume().task is None
