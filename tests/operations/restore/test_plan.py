"""An agent's own list becomes the session's tasks."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.model.task import TaskStatus
from clew.workspace import Workspace
from clew.workspace.session import Session


@pytest.fixture
def session(ws: Workspace) -> Session:
    return ws.sessions.open(agent="example")


def shown(session: Session) -> list[tuple[int, str, str]]:
    return [(task.number, task.title, task.status) for task in session.tasks()]


def test_a_plan_is_the_whole_list(session: Session) -> None:
    session.add_task("of ours")
    session.plan([("make it", TaskStatus.IN_PROGRESS), ("test it", TaskStatus.PENDING)])

    assert shown(session) == [(1, "make it", "in-progress"), (2, "test it", "pending")]
    session.plan([])
    assert shown(session) == []


def test_what_is_as_it_was_keeps_its_note_and_its_time(session: Session) -> None:
    session.add_task("test it")
    session.complete_task(1, "all green")
    (before,) = session.tasks()
    session.plan([("make it", TaskStatus.PENDING), ("test it", TaskStatus.COMPLETED)])

    assert session.tasks()[1] == before._replace(number=2)


def test_a_plan_without_sense_is_made_sense_of(session: Session) -> None:
    session.plan([("", "pending"), (" \n", "x"), ("make it", "of a newer version"), ("t=1", "")])

    assert shown(session) == [(1, "make it", "pending"), (2, "t=1", "pending")]


def test_titles_hold_no_secrets(session: Session) -> None:
    session.plan([("log in with password=hunter2hunter2", "pending")])
    session.set_task(2, title="use token=abcdefgh12345678")
    titles = [task.title for task in session.tasks()]

    assert titles == ["log in with password=[redacted]", "use token=[redacted]"]


def test_a_plan_with_a_secret_that_is_told_again_is_as_it_was(session: Session) -> None:
    plan = [("log in with password=hunter2hunter2", "pending")]
    session.plan(plan)
    before = session.tasks()
    session.plan(plan)

    assert session.tasks() == before


def test_a_long_plan_is_cut(session: Session) -> None:
    session.plan([(f"task {number}", "pending") for number in range(10_050)])

    assert len(session.tasks()) == 10_000


def test_one_task_is_set_by_its_number(session: Session) -> None:
    session.set_task(1, title="make it")
    session.set_task(2, title="test it")
    session.set_task(1, status=TaskStatus.COMPLETED)
    session.set_task(1, status="of a newer version")
    session.set_task(2, title="test all of it")

    assert shown(session) == [(1, "make it", "completed"), (2, "test all of it", "pending")]


def test_a_task_whose_beginning_nobody_told_has_a_name_all_the_same(session: Session) -> None:
    session.set_task(3, status=TaskStatus.IN_PROGRESS)

    assert shown(session) == [(3, "task 3", "in-progress")]


@pytest.mark.parametrize("number", [0, -1, 10_001, 1 << 70])
def test_a_number_that_is_none_is_no_task(session: Session, number: int) -> None:
    session.set_task(number, title="x")

    assert session.tasks() == []


def test_what_an_agent_says_may_take_back_what_had_ended(session: Session) -> None:
    session.set_task(1, title="make it", status=TaskStatus.COMPLETED)
    session.set_task(1, status=TaskStatus.IN_PROGRESS)

    assert shown(session) == [(1, "make it", "in-progress")]


def test_saying_the_same_again_changes_no_time(session: Session) -> None:
    session.set_task(1, title="make it")
    before = session.tasks()
    session.set_task(1, title="make it", status=TaskStatus.PENDING)

    assert session.tasks() == before


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30
)
@given(
    st.lists(st.tuples(st.text(max_size=20), st.sampled_from([*TaskStatus.ALL, "?"])), max_size=6)
)
def test_any_plan_can_be_kept(session: Session, plan: list[tuple[str, str]]) -> None:
    session.plan(plan)
    tasks = session.tasks()

    assert len(tasks) == sum(bool(title.strip()) for title, _ in plan)
    assert all(task.status in TaskStatus.ALL for task in tasks)
