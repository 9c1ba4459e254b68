"""Agents that own their transcripts get a new session to go on with; theirs is never touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew import opening
from clew.model.parts import RestorePart
from clew.model.session import Format
from clew.model.task import TaskStatus
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost
from tests.operations.forks.forked import cut, cut_short
from tests.operations.moments import save
from tests.transcripts.samples import CLAUDE, CODEX, OLD


def written(path: Path, lines: list[bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


@pytest.fixture
def claude(ws: Workspace, tmp_path: Path) -> Path:
    """The transcript of an attached session of Claude Code, four lines long."""
    folder = tmp_path / "home" / ".claude" / "projects" / "-project"
    path = written(folder / f"{OLD}.jsonl", CLAUDE[:4])
    ws.sessions.open(agent="claude-code", native=OLD, transcript=str(path), kind=Format.CLAUDE_CODE)
    return path


def test_the_conversation_is_a_new_session_and_the_old_transcript_stays(
    ws: Workspace, project: Path, claude: Path
) -> None:
    (project / "app.py").write_text("first")
    ws.sessions.current().add_task("write")
    first = save(ws, "first")
    (project / "app.py").write_text("second")
    ws.sessions.current().complete_task(1)
    written(claude, CLAUDE)
    before = claude.read_bytes()
    result = ws.restore(first)
    found = result.brought.resumable

    assert found is not None
    assert found.command == f"claude --resume {found.session}"
    assert Path(found.path.decode()) == claude.parent / f"{found.session}.jsonl"
    lines = [json.loads(line) for line in Path(found.path.decode()).read_bytes().splitlines()]
    assert [line["sessionId"] for line in lines] == [found.session] * 4
    assert claude.read_bytes() == before
    assert (project / "app.py").read_text() == "first"
    new = ws.sessions.current()
    assert (new.info.native, new.info.origin) == (found.session, ws.sessions.open(OLD).info.id)
    assert [task.status for task in new.tasks()] == [TaskStatus.PENDING]
    assert [task.status for task in ws.sessions.open(OLD).tasks()] == [TaskStatus.COMPLETED]
    assert oct(Path(found.path.decode()).stat().st_mode & 0o777) == "0o600"


def test_an_undo_goes_on_with_the_old_session_where_it_is_what_it_was(
    ws: Workspace, project: Path, claude: Path
) -> None:
    (project / "app.py").write_text("first")
    first = save(ws, "first")
    (project / "app.py").write_text("second")
    written(claude, CLAUDE)
    ws.restore(first)
    number = len(list(claude.parent.iterdir()))
    result = ws.undo()

    assert result.brought.resumable is not None
    assert result.brought.resumable.command == f"claude --resume {OLD}"
    assert ws.sessions.current().info.native == OLD
    assert len(list(claude.parent.iterdir())) == number


def test_the_new_session_is_taken_into_the_next_checkpoint(ws: Workspace, claude: Path) -> None:
    first = save(ws, "first")
    written(claude, CLAUDE)
    found = ws.restore(first).brought.resumable
    after = ws.save("after").checkpoint

    assert found is not None
    assert (
        b"".join(ws.sessions.conversation(after.id.hex())) == Path(found.path.decode()).read_bytes()
    )


def test_codex_gets_its_own_file_of_the_day(ws: Workspace, tmp_path: Path) -> None:
    day = tmp_path / "home" / ".codex" / "sessions" / "2026" / "01" / "02"
    path = written(day / f"rollout-2026-01-02T03-04-05-{OLD}.jsonl", CODEX[:5])
    ws.sessions.open(agent="codex", native=OLD, transcript=str(path), kind=Format.CODEX)
    first = save(ws, "first")
    written(path, CODEX)
    found = ws.restore(first).brought.resumable

    assert found is not None
    assert found.command == f"codex resume {found.session}"
    new = Path(found.path.decode())
    assert new.is_relative_to(tmp_path / "home" / ".codex" / "sessions")
    assert json.loads(new.read_bytes().splitlines()[0])["payload"]["id"] == found.session


def test_what_is_no_transcript_leaves_the_files_restored_and_says_why(
    ws: Workspace, project: Path, claude: Path
) -> None:
    written(claude, [b"this is not JSON"])
    (project / "app.py").write_text("first")
    first = save(ws, "first")
    (project / "app.py").write_text("second")
    written(claude, CLAUDE)
    result = ws.restore(first)

    assert (project / "app.py").read_text() == "first"
    assert result.is_partial
    assert "not a valid transcript" in result.problems[0].reason
    assert RestorePart.CONVERSATION not in result.brought.parts
    assert len(list(claude.parent.iterdir())) == 1


def test_before_anything_was_said_there_is_nothing_to_go_on_with(
    ws: Workspace, claude: Path
) -> None:
    claude.unlink()
    first = save(ws, "first")
    written(claude, CLAUDE)
    result = ws.restore(first)

    assert result.brought.resumable is None
    assert not result.is_partial
    assert result.brought.warnings == (
        f"The files and task list are from {first[:8]}, the conversation is current",
    )


@pytest.mark.parametrize("where", ["restore.write-outside", "restore.commit"])
def test_a_restore_cut_short_leaves_one_new_session(
    ws: Workspace, project: Path, store: Path, claude: Path, host: FakeHost, where: str
) -> None:
    first = save(ws, "first")
    written(claude, CLAUDE)

    def body() -> None:
        with host.at(where, cut), opening.open(project, store=store, host=host) as opened:
            opened.restore(first)

    ws.close()
    cut_short(body)
    with opening.open(project, store=store) as again:
        again.save("next")
        native = again.sessions.current().info.native

    assert native != OLD
    assert sorted(path.name for path in claude.parent.iterdir()) == sorted(
        [claude.name, f"{native}.jsonl"]
    )


def test_the_new_session_has_the_date_of_the_restore(ws: Workspace, claude: Path) -> None:
    first = save(ws, "first")
    written(claude, CLAUDE)
    old = ws.sessions.current().info
    ws.restore(first)
    new = ws.sessions.current().info

    assert new.origin == old.id
    assert new.started_ns > old.started_ns
    assert new.seen_ns >= new.started_ns
