"""What programs give to the library, and to those that speak for it, stays without secrets."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import clew
from clew.compat.chimera import CheckpointManager, GhostCommitManager, LocalEnvironment
from clew.compat.chimera.loop import LoopConfig
from clew.compat.praisonai import CheckpointService
from clew.store.database import Database
from tests.kit.canaries import Canaries, kept_outside_packs


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "store"))
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.txt").write_text("x")
    return tmp_path / "project"


def test_the_library_keeps_and_gives_back_no_secret(project: Path, tmp_path: Path) -> None:
    canaries = Canaries()
    say = canaries.every_way
    with clew.open(project, create=True) as ws:
        session = ws.sessions.open(agent=say("agent"), version=say("version"), native=say("native"))
        saved = ws.save(say("intent"), description=say("description"), meta={"m": say("meta")})
        session.add_task(say("title"))
        session.plan([(say("plan"), "pending")])
        session.fail_task(1, say("note"))
        effect = session.effect(
            say("what"), tool="x", arguments={"l": [say("argument")]}, undo=say("undo")
        )
        effect.failed(say("outcome"))
        edited = ws.edit("@", intent=say("edited"), meta={"password": say("by its name")})
        seen = [
            saved,
            edited,
            ws.log(),
            ws.tasks.list(),
            ws.effects.list(),
            ws.sessions.list(),
            ws.sessions.brief(),
        ]

    assert canaries.found_in(*map(repr, seen)) == {}
    assert canaries.found_in(*kept_outside_packs(tmp_path / "store")) == {}


def test_conversation_and_state_are_given_back_as_they_were(project: Path) -> None:
    secret = "curl -u me:hunter2 https://x.org"
    with clew.open(project, create=True) as ws:
        session = ws.sessions.open(agent="a", native="n")
        session.say({"role": "user", "content": secret})
        session.set_state({"line": secret})
        ws.save("x")

        assert session.messages() == [{"role": "user", "content": secret}]
        assert session.state == {"line": secret}
        assert "hunter2" not in repr(ws.sessions.show().said)


def test_praisonai_keeps_no_secret(project: Path, tmp_path: Path) -> None:
    canaries = Canaries()
    service = CheckpointService(str(project), str(tmp_path / "store"))
    asyncio.run(service.initialize())
    (project / "a.txt").write_text("y")
    result = asyncio.run(
        service.save(canaries.every_way("message"), metadata={"m": canaries.every_way("metadata")})
    )

    assert result.success
    assert canaries.found_in(repr(result), repr(asyncio.run(service.list_checkpoints()))) == {}
    assert canaries.found_in(*kept_outside_packs(tmp_path / "store")) == {}


def test_chimera_keeps_no_secret(project: Path, tmp_path: Path) -> None:
    canaries = Canaries()
    manager = CheckpointManager(LocalEnvironment(project))
    made = manager.create(canaries.typed("name"), canaries.every_way("description"))
    ghost = GhostCommitManager(project)
    ghost.snapshot(canaries.every_way("label"))
    loop = LoopConfig(checkpoint_manager=manager, ghost_commits=ghost)
    loop.before_tool("bash", {"command": canaries.every_way("command")})
    loop.after_tool("bash", {"command": canaries.every_way("command, after")})

    seen = [made, manager.list_checkpoints(), ghost.history]
    assert canaries.found_in(*map(repr, seen)) == {}
    assert canaries.found_in(*kept_outside_packs(tmp_path / "store")) == {}


def test_rows_of_an_older_clew_are_shown_redacted(project: Path, tmp_path: Path) -> None:
    canaries = Canaries()
    say = canaries.typed
    with clew.open(project, create=True) as ws:
        session = ws.sessions.open(agent="a", native="n")
        ws.save("x", name="old", meta={"m": "x"}, verify="true")
        session.add_task("x")
        session.effect("x", tool="t", arguments={"a": "x"}).done("x")
        ws.settings.set("verify", "true")
    database = Database(str(tmp_path / "store" / "catalog.db"))
    for table, column in (
        ("labels", "intent"), ("labels", "description"), ("labels", "name"), ("meta_values", "value"),
        ("tasks", "title"), ("tasks", "note"), ("effects", "what"), ("effects", "undo"),
        ("effects", "outcome"), ("effects", "tool"), ("sessions", "agent"), ("sessions", "version"),
        ("verdicts", "command"),
    ):  # fmt: skip
        database.execute(f"UPDATE {table} SET {column} = ?", (say(f"{table}.{column}"),))
    check = say("config.verify")
    database.execute("UPDATE config SET value = ? WHERE key = 'verify'", (check.encode(),))
    database.execute("UPDATE verdicts SET command = ?", (check,))
    database.close()

    with clew.open(project) as ws:
        seen = [
            ws.log(),
            ws.tasks.list(),
            ws.effects.list(),
            ws.sessions.list(),
            ws.sessions.brief(),
            ws.good(),
        ]
        shown = ws.show("@")

    assert "[redacted]" in repr(seen)
    assert canaries.found_in(*map(repr, [*seen, shown])) == {}
