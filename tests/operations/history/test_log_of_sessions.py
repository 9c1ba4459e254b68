"""Two agents and a person in one workspace: whose checkpoint is whose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from clew import opening
from clew.errors import UnknownSession
from clew.workspace import Workspace
from clew.workspace.session import Session


class Shared(NamedTuple):
    ws: Workspace
    one: Session
    two: Session


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """A person, then two agents by turns, then the person again."""
    place = tmp_path_factory.mktemp("place")
    (place / "project").mkdir()
    with opening.open(place / "project", store=place / "store", create=True) as ws:
        ws.save("a person's")
        one = ws.sessions.open(agent="one", native="run 7")
        one.add_task("do it")
        two = ws.sessions.open(agent="two", attach=False)
        ws.save("of one")
        two.save("of two")
        one.complete_task(1)
        ws.save("of one again")
        ws.save("a person's again", session="none")
        yield Shared(ws, one, two)


def intents(ws: Workspace, session: str | None) -> list[str]:
    return [found.labels.intent for found in ws.log(session=session).checkpoints]


def test_each_sessions_checkpoints_are_told_apart(shared: Shared) -> None:
    assert intents(shared.ws, shared.one.id) == ["of one again", "of one"]
    assert intents(shared.ws, shared.two.id[:6]) == ["of two"]
    assert intents(shared.ws, "run 7") == ["of one again", "of one"]
    assert intents(shared.ws, "none") == ["a person's again", "a person's"]
    assert len(intents(shared.ws, None)) == 5


def test_a_filter_comes_before_the_limit(shared: Shared) -> None:
    found = shared.ws.log(session=shared.two.id, limit=1).checkpoints

    assert [one.labels.intent for one in found] == ["of two"]


def test_a_session_that_is_not_there_is_said_so(shared: Shared) -> None:
    for text in ("", "zz", "ffffffff", "run 8"):
        with pytest.raises(UnknownSession):
            shared.ws.log(session=text)


def test_each_checkpoint_has_the_task_list_of_its_moment(shared: Shared) -> None:
    log = shared.ws.log(session=shared.one.id, tasks=True)
    lists = [found.tasks for found in log.checkpoints]

    assert [[task.status for task in found or ()] for found in lists] == [
        ["completed"],
        ["pending"],
    ]
    persons = shared.ws.log(session="none", tasks=True).checkpoints
    assert [found.tasks for found in persons] == [None, None]


def test_show_knows_the_tasks_too(shared: Shared) -> None:
    shown = shared.ws.show("@~1").checkpoint

    assert shown.tasks is not None
    assert shown.tasks[0].title == "do it"
