"""Each real agent, set up by `clew enable`: its work is checkpointed and restored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kit.running import Clew
from tests.real_agents.conftest import RunAgent
from tests.real_agents.plugged import FAILING, WORDS, Plugged

FIXTURES = {"claude-code": "claude"}


@pytest.fixture(params=WORDS)
def agent(request: pytest.FixtureRequest, clew: Clew, home: Path) -> Plugged:
    """Each agent in turn, in a project of two files, not yet plugged in."""
    name: str = request.param
    program: RunAgent = request.getfixturevalue(FIXTURES.get(name, name))
    (clew.workspace / "gone.txt").write_text("to be deleted")
    (clew.workspace / "kept.txt").write_text("to be kept")
    return Plugged(name, clew, home, program)


def files(place: Path) -> dict[str, bytes]:
    """Return every file that is no setting of an agent's, and what is in it."""
    return {
        path.name: path.read_bytes()
        for path in place.iterdir()
        if path.is_file() and not path.name.startswith(".")
    }


def test_all_that_an_agent_did_is_kept_and_marked_and_taken_back(agent: Plugged) -> None:
    agent.enable()
    before = files(agent.clew.workspace)
    enabled = agent.timeline()[-1]["id"]
    agent.work(agent.everything())
    after = files(agent.clew.workspace)
    intents = [one["intent"] for one in agent.timeline()]
    failed = [one["meta"]["failed"] for one in agent.timeline() if "failed" in one["meta"]]
    status = agent.clew.json("status")
    agent.clew.restore(enabled)

    assert sorted(after) == ["kept.txt", "made.txt", "other.txt"]
    assert agent.complaints == ""
    assert any(one == f"build it: {agent.words.edit} made.txt" for one in intents), intents
    assert any("echo other > other.txt; rm gone.txt" in one for one in intents), intents
    assert len(failed) == 1, agent.timeline()
    assert FAILING in failed[0]
    assert "code 3" in failed[0]
    assert status["changes"] == [], "the last checkpoint holds all of it"
    assert files(agent.clew.workspace) == before


def test_a_call_that_the_gate_refuses_does_not_run_and_the_model_reads_why(agent: Plugged) -> None:
    agent.enable("--gate")
    agent.put("git", f'[ "$1" != push ] || touch "{agent.clew.workspace}/pushed"')
    model = agent.work([agent.words.run("git push origin main"), {"text": "then not"}])

    assert agent.complaints == ""
    assert not (agent.clew.workspace / "pushed").exists()
    assert len(model.asked) == 2, "the agent goes on"
    assert "clew:" in json.dumps(model.asked[-1])
    assert "git push" in json.dumps(model.asked[-1])


def test_after_a_restore_the_model_is_told_before_it_goes_on(agent: Plugged) -> None:
    agent.enable()
    enabled = agent.timeline()[-1]["id"]
    first = agent.work(agent.everything())
    agent.clew.restore(enabled)
    second = agent.work([{"text": "I see"}], "go on")

    assert agent.complaints == ""
    assert "From clew" not in json.dumps(first.asked)
    assert "From clew" in json.dumps(second.asked[0])
