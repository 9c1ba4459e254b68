"""What of an answer of `clew mcp` real agents give to their models: the short answer, once.

Claude Code and opencode take the structured content, Gemini CLI and qwen-code the text.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kit.running import Clew
from tests.real_agents.conftest import RunAgent
from tests.real_agents.plugged import Plugged
from tests.real_agents.stub_model import Step

LOG = {
    "claude-code": "mcp__clew__log",
    "gemini": "mcp_clew_log",
    "opencode": "clew_log",
    "qwen": "mcp__clew__log",
}
FIXTURES = {"claude-code": "claude"}
ALLOWED = {"claude-code": ("--allowedTools", "mcp__clew")}


@pytest.fixture(params=LOG)
def agent(request: pytest.FixtureRequest, clew: Clew, home: Path) -> Plugged:
    """Each agent in turn, with our server, in a workspace with one checkpoint of its own."""
    name: str = request.param
    program: RunAgent = request.getfixturevalue(FIXTURES.get(name, name))
    (clew.workspace / "kept.txt").write_text("to be kept")
    clew.save("the first intent")
    agent = Plugged(name, clew, home, program)
    agent.enable("--mcp")
    return agent


def test_the_model_reads_the_short_answer_once(agent: Plugged) -> None:
    script: list[Step] = [{"tool": LOG[agent.name], "args": {}}, {"text": "done"}]
    model = agent.work(script, "go on", *ALLOWED.get(agent.name, ()))
    read = json.dumps(model.asked[-1])

    assert read.count("the first intent") == 1
    assert "intent_source" not in read, "a field of the complete answer"


def test_the_model_is_not_given_the_output_schemas(agent: Plugged) -> None:
    model = agent.work([{"text": "done"}], "go on", *ALLOWED.get(agent.name, ()))

    assert "by_directory" not in json.dumps(model.tools)
