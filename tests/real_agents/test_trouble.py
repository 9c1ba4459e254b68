"""Claude Code with our hooks under failures: it continues, and nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.kit.running import Clew
from tests.real_agents.conftest import (
    CLAUDE_TOOLS,
    RunAgent,
    claude_program,
    claude_settings,
    clean,
)
from tests.real_agents.plugged import Plugged
from tests.real_agents.stub_model import stub_model

PATIENCE = 120


@pytest.fixture
def agent(clew: Clew, home: Path, claude: RunAgent) -> Plugged:
    """Claude Code, plugged in, in a project of one file."""
    (clew.workspace / "kept.txt").write_text("to be kept")
    found = Plugged("claude-code", clew, home, claude)
    found.enable()
    return found


def until(path: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} does not come"
        time.sleep(0.05)


def test_what_an_agent_did_that_was_killed_in_a_call_is_in_the_next_checkpoint(
    agent: Plugged,
) -> None:
    place = agent.clew.workspace
    enabled = agent.timeline()[-1]["id"]
    (place / "wait.txt").touch()
    line = "echo half > half.txt; while [ -e wait.txt ]; do sleep 0.1; done"
    with stub_model([agent.words.run(line), {"text": "never said"}]) as model:
        settings = claude_settings(model.address) | agent.environment
        running = subprocess.Popen(
            [claude_program(), "-p", "build it", "--allowedTools", CLAUDE_TOOLS],
            cwd=place,
            env=clean(agent.home, settings),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            until(place / "half.txt")
        finally:
            os.kill(running.pid, signal.SIGKILL)
            running.wait(PATIENCE)
            (place / "wait.txt").unlink()  # what it had started ends by itself
    agent.work([{"text": "here again"}], "what happened?")
    kept = agent.clew.json("status")["changes"]
    agent.clew.restore(enabled)

    assert agent.complaints == ""
    assert kept == []
    assert len(agent.clew.json("log", "--path", "half.txt")["checkpoints"]) > 0
    assert not (place / "half.txt").exists()


def test_an_agent_whose_workspace_is_deleted_goes_on_and_the_files_come_back(
    agent: Plugged,
) -> None:
    place = agent.clew.workspace
    made = agent.words.make(place / "made.txt", "made")
    agent.put("clean-up", f"rm -rf '{place}'")  # under its own name Claude Code would refuse it
    deleted = agent.words.run("clean-up")
    model = agent.work([made, deleted, agent.words.run("true"), {"text": "all is done"}])
    is_gone = not place.exists()
    place.mkdir(exist_ok=True)
    made_it = next(one for one in agent.timeline() if "Write made.txt" in one["intent"])
    agent.clew.restore(made_it["id"])

    assert len(model.asked) == 4, "the agent went on to the end"
    assert is_gone
    assert (place / "made.txt").read_text() == "made"
    assert (place / "kept.txt").read_text() == "to be kept"


def test_an_agent_goes_on_where_the_store_is_damaged_and_doctor_tells(agent: Plugged) -> None:
    place = agent.clew.workspace
    (catalogue,) = agent.clew.store.glob("catalog*")
    shutil.copy(catalogue, agent.home / "sound")
    catalogue.write_bytes(b"garbage" * 10_000)
    model = agent.work([agent.words.make(place / "made.txt", "made"), {"text": "all is done"}])
    doctor = agent.clew.run("doctor")
    shutil.copy(agent.home / "sound", catalogue)
    saved = agent.clew.json("save", "by hand, once it is sound again")

    assert len(model.asked) == 2, "the agent went on to the end"
    assert (place / "made.txt").read_text() == "made"
    assert "PostToolBatch" in agent.complaints
    assert doctor.code == 1, doctor.out
    assert saved["checkpoint"]["change_counts"]["added"] == 1


def test_two_agents_in_one_workspace_lose_nothing_of_each_other(agent: Plugged) -> None:
    place = agent.clew.workspace
    before = agent.timeline()[-1]["id"]

    def work(who: str) -> None:
        lines = [f"echo {number} > {who}-{number}" for number in range(4)]
        agent.work([*map(agent.words.run, lines), {"text": "done"}], f"I am {who}")

    with ThreadPoolExecutor() as pool:
        list(pool.map(work, ("one", "two")))
    found = sorted(path.name for path in place.glob("*-*"))
    changes = agent.clew.json("status")["changes"]
    sessions = agent.clew.json("session", "list")["sessions"]
    agent.clew.restore(before)

    assert agent.complaints == ""
    assert found == [f"{who}-{number}" for who in ("one", "two") for number in range(4)]
    assert changes == []
    assert len(sessions) == 2
    assert all(one["conversation_bytes"] for one in sessions)
    assert not list(place.glob("*-*"))


def test_where_nobody_can_be_asked_a_call_is_refused_outright(agent: Plugged) -> None:
    agent.clew.ok("config", "set", "gate", "on")
    agent.put("git", f'[ "$1" != push ] || touch "{agent.clew.workspace}/pushed"')
    script = [agent.words.run("git push origin main"), {"text": "then not"}]
    model = agent.work(script, "build it", "--permission-mode", "dontAsk")

    assert not (agent.clew.workspace / "pushed").exists()
    assert "clew:" in json.dumps(model.asked[-1])
