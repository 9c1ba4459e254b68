"""The real Codex continues from exactly the state of a checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.kit.running import Clew
from tests.real_agents.conftest import RunAgent
from tests.real_agents.plugged import Plugged
from tests.real_agents.stub_model import Step

SCRIPT: list[Step] = [
    {"tool": "exec_command", "args": {"cmd": "echo 1 > one"}},
    {"tool": "exec_command", "args": {"cmd": "echo 2 > two"}},
    {"tool": "exec_command", "args": {"cmd": "echo 3 > three"}},
    {"text": "all is done"},
]


@pytest.fixture
def agent(clew: Clew, home: Path, codex: RunAgent) -> Plugged:
    found = Plugged("codex", clew, home, codex)
    found.enable()
    return found


def essence(items: list[dict[str, Any]]) -> list[str]:
    """Return what was asked, called and answered, without what was added to it."""
    found = []
    for item in items:
        if item["type"] == "message" and item["role"] != "developer":
            found += [block["text"] for block in item["content"] if block["text"][:1] != "<"]
        elif item["type"].endswith("_output"):
            found.append("aborted" if "aborted" in str(item["output"]) else "output")
        elif item["type"] == "function_call":
            found.append("call")
    return found


def test_a_restored_conversation_is_asked_exactly_and_goes_on(agent: Plugged) -> None:
    agent.work(SCRIPT)
    after_two = next(one for one in agent.timeline() if one["intent"] == "build it: echo 2 > two")
    restored = agent.clew.restore(after_two["id"])
    command = restored["resumable_session"]["command"].split()
    model = agent.work([*SCRIPT[:2], {"text": "going on"}], *command[1:], "and now?")

    assert command[:2] == ["codex", "resume"]
    # The hook of the second call is told before Codex writes down what came of it.
    assert essence(model.asked[0]) == ["build it", "call", "output", "call", "aborted", "and now?"]
    assert sorted(path.name for path in agent.clew.workspace.iterdir()) == [".codex", "one", "two"]


def test_what_a_command_still_runs_is_in_the_next_checkpoint(agent: Plugged) -> None:
    """Codex calls no hook after a command that outlives its call."""
    (agent.clew.workspace / "wait").touch()
    slow = "while [ -e wait ]; do sleep 0.1; done; echo late > late"
    model = agent.work(
        [
            {"tool": "exec_command", "args": {"cmd": slow, "yield_time_ms": 250}},
            {"tool": "exec_command", "args": {"cmd": "rm wait; until [ -s late ]; do :; done"}},
            {"text": "all is done"},
        ]
    )

    assert len(model.asked) == 3
    assert agent.complaints == ""
    assert agent.clew.json("status")["changes"] == []
    assert (agent.clew.workspace / "late").read_text() == "late\n"
