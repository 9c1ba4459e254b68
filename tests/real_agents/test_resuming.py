"""A conversation goes back with the files: what each model is asked next ends where they are.

opencode keeps its conversations in a database of its own, so there only files go back; its model is
told, as all are.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.kit.running import Clew
from tests.real_agents.plugged import Plugged
from tests.real_agents.stub_model import Step

PROGRAMS = {"claude-code": "claude", "codex": "codex", "gemini": "gemini", "qwen": "qwen"}


@pytest.fixture(params=PROGRAMS)
def agent(request: pytest.FixtureRequest, clew: Clew, home: Path) -> Plugged:
    """Each agent whose conversation is in a file, plugged in."""
    name: str = request.param
    found = Plugged(name, clew, home, request.getfixturevalue(PROGRAMS[name]))
    found.enable()
    return found


def script(agent: Plugged) -> list[Step]:
    lines = ("echo 1 > one", "echo 2 > two", "echo 3 > three")
    return [*map(agent.words.run, lines), {"text": "all is done"}]


def going_on(agent: Plugged, restored: dict[str, Any], prompt: str) -> tuple[str, ...]:
    """Return the words that have an agent go on in the conversation that came back."""
    if restored["resumable_session"] is not None:
        words = restored["resumable_session"]["command"].split()[1:]
        return (*words, prompt) if agent.name == "codex" else (prompt, *words)
    return (prompt, "--resume", "latest") if agent.name == "gemini" else (prompt, "--continue")


def test_the_model_is_asked_what_was_said_until_then_and_nothing_after(agent: Plugged) -> None:
    agent.work(script(agent))
    after_two = next(one for one in agent.timeline() if "build it: echo 2" in one["intent"])
    restored = agent.clew.restore(after_two["id"])
    words = going_on(agent, restored, "and now?")
    model = agent.work([*script(agent)[:2], {"text": "going on"}], *words)
    asked = json.dumps(model.asked[0])

    assert agent.complaints == ""
    assert "build it" in asked
    assert "echo 1 > one" in asked
    assert "and now?" in asked
    assert "echo 3" not in asked
    assert "all is done" not in asked
    assert not (agent.clew.workspace / "three").exists()
    assert (agent.clew.workspace / "two").read_text() == "2\n"
