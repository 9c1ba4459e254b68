"""A fork in which an agent goes on: a session of its own, as the old one stood."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew import opening
from clew.errors import BadOption
from clew.model.session import Format
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.operations.moments import save
from tests.operations.sessions.test_resumable import written
from tests.transcripts.samples import CLAUDE, OLD


@pytest.fixture
def talked(ws: Workspace, project: Path) -> str:
    """A moment of a session; more was said and done since."""
    session = ws.sessions.open(agent="example", version="1")
    (project / "app.py").write_text("first")
    session.say("build it")
    session.add_task("write")
    first = save(ws, "first")
    session.say("done")
    session.complete_task(1)
    return first


def test_a_fork_goes_on_with_conversation_and_tasks_as_they_stood(
    ws: Workspace, store: Path, tmp_path: Path, talked: str
) -> None:
    old = ws.sessions.current()
    result = ws.forks.create(talked, str(tmp_path / "fork"), conversation=True)
    with opening.open(tmp_path / "fork", store=store) as grown:
        session = grown.sessions.current()
        session.say("another way")
        grown.save("there")
        grown.restore(result.checkpoint.id.hex())

        assert session.messages() == ["build it"]
        assert [task.status for task in session.tasks()] == ["pending"]
        assert (session.info.origin or b"").hex() == old.id
        assert result.session is not None
        assert result.session.id.hex() == session.id

    assert result.resumable is None
    assert old.messages() == ["build it", "done"]
    assert ws.sessions.current().id == old.id


def test_a_fork_has_no_session_unless_it_is_asked_for(
    ws: Workspace, store: Path, tmp_path: Path, talked: str
) -> None:
    result = ws.forks.create(talked, str(tmp_path / "fork"))

    assert result.session is None
    with opening.open(tmp_path / "fork", store=store) as grown:
        assert grown.sessions.all() == []


def test_a_moment_without_a_session_is_refused_before_anything_is_made(
    ws: Workspace, project: Path, tmp_path: Path
) -> None:
    (project / "app.py").write_text("first")
    first = save(ws, "first")
    with pytest.raises(BadOption, match="--conversation: checkpoint has no conversation"):
        ws.forks.create(first, str(tmp_path / "fork"), conversation=True)

    assert not (tmp_path / "fork").exists()
    assert ws.forks.list() == ()


@pytest.fixture
def projects(ws: Workspace, tmp_path: Path) -> Path:
    """Where Claude Code keeps its sessions; one of this workspace is attached."""
    folder = tmp_path / "home" / ".claude" / "projects"
    path = written(folder / "-project" / f"{OLD}.jsonl", CLAUDE[:4])
    ws.sessions.open(agent="claude-code", native=OLD, transcript=str(path), kind=Format.CLAUDE_CODE)
    return folder


def test_claude_code_finds_the_session_in_the_forks_directory(
    ws: Workspace, tmp_path: Path, projects: Path
) -> None:
    first = save(ws, "first")
    place = tmp_path / "my fork"
    found = ws.forks.create(first, str(place), conversation=True).resumable

    assert found is not None
    assert found.command == f"cd '{place}' && claude --resume {found.session}"
    path = Path(found.path.decode())
    assert path.parent.parent == projects
    assert path.parent.name.endswith("-my-fork")
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert {line["cwd"] for line in lines if "cwd" in line} == {str(place)}
    assert {line["sessionId"] for line in lines} == {found.session}


def test_a_fork_that_fails_leaves_no_transcript(
    ws: Workspace, tmp_path: Path, projects: Path, host: FakeHost
) -> None:
    first = save(ws, "first")

    failing = host.at("fork.record", OSError("no more"))
    with failing, pytest.raises(OSError, match="no more"):
        ws.forks.create(first, str(tmp_path / "fork"), conversation=True)

    assert len(list(projects.rglob("*.jsonl"))) == 1
    assert not (tmp_path / "fork").exists()


def test_a_discarded_fork_takes_its_session_along(
    ws: Workspace, tmp_path: Path, talked: str
) -> None:
    result = ws.forks.create(talked, str(tmp_path / "fork"), conversation=True)
    ws.forks.discard("fork", files=True, force=True)

    assert result.session is not None
    with ws.reading_context() as context:
        assert context.store.sessions.get(result.session.id) is None
        assert context.store.tasks.of(result.session.id) == []
