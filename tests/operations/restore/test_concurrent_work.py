"""Two agents, or an agent and a person, in one workspace: whose work a restore takes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.workspace import Workspace
from tests.operations.moments import save


@pytest.fixture
def shared(ws: Workspace, project: Path) -> tuple[str, str, str]:
    """A first moment and the ids of two sessions that worked since, a person in between."""
    for name in ("ours", "theirs", "hers", "both"):
        (project / name).write_text("first")
    one = ws.sessions.open(agent="one")
    first = save(ws, "first")
    (project / "ours").write_text("second")
    (project / "both").write_text("by one")
    save(ws, "by one")
    two = ws.sessions.open(agent="two")
    (project / "theirs").write_text("second")
    (project / "both").write_text("by two")
    save(ws, "by two")
    ws.sessions.detach()
    (project / "hers").write_text("second")
    save(ws, "by a person")
    ws.sessions.attach(one.id)
    (project / "unsaved").write_text("second")
    return first, one.id, two.id


def test_a_restore_names_the_work_of_others_that_it_takes_back(
    ws: Workspace, shared: tuple[str, str, str]
) -> None:
    first, _, two = shared
    foretold = ws.preview(first).concurrent_work
    done = ws.restore(first).concurrent_work

    assert [(work.session.hex(), work.agent, work.paths) for work in done] == [
        ("", "", (b"hers",)),
        (two, "two", (b"both", b"theirs")),
    ]
    assert foretold == done


def test_to_a_person_every_agent_is_another(ws: Workspace, shared: tuple[str, str, str]) -> None:
    first, one, two = shared
    ws.sessions.detach()

    assert [work.session.hex() for work in ws.preview(first).concurrent_work] == [two, one]


def test_only_what_is_really_taken_back_is_named(
    ws: Workspace, project: Path, shared: tuple[str, str, str]
) -> None:
    first, _, two = shared
    (project / "both").write_text("first")
    (project / "theirs").write_text("first")
    save(ws, "set back by hand")

    assert two not in [work.session.hex() for work in ws.preview(first).concurrent_work]
    assert ws.preview(first, paths=[str(project / "ours")]).concurrent_work == ()


def test_what_one_did_alone_is_nobody_elses(ws: Workspace, project: Path) -> None:
    ws.sessions.open(agent="one")
    (project / "ours").write_text("first")
    first = save(ws, "first")
    (project / "ours").write_text("second")
    save(ws, "second")

    assert ws.restore(first).concurrent_work == ()


def test_a_migrated_session_is_no_other(ws: Workspace, project: Path) -> None:
    ws.sessions.open(agent="one", version="1")
    (project / "ours").write_text("first")
    first = save(ws, "first")
    (project / "ours").write_text("second")
    save(ws, "second")
    ws.sessions.migrate(version="2")

    assert ws.preview(first).concurrent_work == ()
