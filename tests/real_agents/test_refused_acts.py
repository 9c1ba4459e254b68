"""Claude Code and effects: a refused action is not recorded as done."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.running import Clew
from tests.real_agents.conftest import RunAgent
from tests.real_agents.plugged import Plugged

PUSH = "git push origin main"


@pytest.fixture
def agent(clew: Clew, home: Path, claude: RunAgent) -> Plugged:
    """Claude Code, plugged in, in a project of one file."""
    (clew.workspace / "kept.txt").write_text("to be kept")
    found = Plugged("claude-code", clew, home, claude)
    found.enable()
    return found


def outcome(agent: Plugged, line: str) -> str:
    """Let the agent run a line, and return what is known of the act that it is."""
    agent.put("git", "exit 0")
    agent.work([agent.words.run(line), {"text": "all is done"}])
    assert agent.complaints == ""
    (effect,) = agent.clew.json("effect", "list")["effects"]
    found: str = effect["status"]
    return found


def test_an_act_that_ran_was_done(agent: Plugged) -> None:
    assert outcome(agent, PUSH) == "done"


def test_a_question_that_nobody_could_answer_is_no_act(agent: Plugged) -> None:
    agent.clew.ok("config", "set", "gate", "on")

    assert outcome(agent, PUSH) == "failed"


def test_an_act_that_failed_has_failed(agent: Plugged) -> None:
    assert outcome(agent, f"{PUSH}; exit 3") == "failed"
