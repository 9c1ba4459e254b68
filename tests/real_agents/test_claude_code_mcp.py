"""The real Claude Code with `clew mcp`: it lists our tools, calls one, and cannot approve."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.kit.running import Clew
from tests.real_agents.conftest import RunAgent
from tests.real_agents.stub_model import Step, StubModel, stub_model


@pytest.fixture
def edited(clew: Clew) -> Clew:
    (clew.workspace / "file").write_text("one")
    clew.save("first")
    (clew.workspace / "file").write_text("two")
    return clew


def config(clew: Clew, home: Path) -> str:
    """Write the file that tells Claude Code of our server."""
    command, *words = clew.command("mcp")
    server = {"command": command, "args": words, "env": clew.environment()}
    file = home / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"clew": server}}))
    return str(file)


def conversation(clew: Clew, home: Path, claude: RunAgent, script: list[Step]) -> StubModel:
    """Have Claude Code do the script, and return the model that told it to."""
    with stub_model(script) as model:
        claude(
            clew.workspace, model.address, "go on", "--mcp-config", config(clew, home),
            "--strict-mcp-config", "--allowedTools", "mcp__clew",
        )  # fmt: skip
    return model


def results(asked: list[dict[str, Any]]) -> list[str]:
    """Return the text of every result that a tool gave."""
    found = []
    for message in asked:
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block["type"] == "tool_result":
                content = block["content"]
                found.append(content if isinstance(content, str) else content[0]["text"])
    return found


def test_its_first_tools_are_in_front_of_the_model(
    edited: Clew, home: Path, claude: RunAgent
) -> None:
    model = conversation(edited, home, claude, [{"text": "nothing to do"}])
    offered = {tool["name"] for tool in model.tools}

    assert {f"mcp__clew__{name}" for name in ("save", "log", "status", "restore")} <= offered
    assert "mcp__clew__bisect" not in offered


def test_it_calls_one_and_the_model_reads_what_the_command_prints(
    edited: Clew, home: Path, claude: RunAgent
) -> None:
    script: list[Step] = [
        {"tool": "mcp__clew__save", "args": {"intent": "by an agent"}},
        {"tool": "mcp__clew__log", "args": {"detail": True}},
        {"text": "done"},
    ]
    model = conversation(edited, home, claude, script)
    log = json.loads(results(model.asked[-1])[-1])

    assert [one["intent"] for one in log["checkpoints"]] == ["by an agent", "first"]
    assert log == edited.json("log")


def test_a_restore_that_nobody_answers_changes_nothing(
    edited: Clew, home: Path, claude: RunAgent
) -> None:
    """Without a terminal it answers every question with *cancel*."""
    script: list[Step] = [{"tool": "mcp__clew__restore", "args": {"ref": "@"}}, {"text": "done"}]
    model = conversation(edited, home, claude, script)

    assert "needs-confirmation" in results(model.asked[-1])[-1]
    assert (edited.workspace / "file").read_text() == "two"


def test_a_restore_happens_where_that_was_allowed(
    edited: Clew, home: Path, claude: RunAgent
) -> None:
    edited.ok("config", "set", "restore.unattended", "on")
    script: list[Step] = [{"tool": "mcp__clew__restore", "args": {"ref": "@"}}, {"text": "done"}]
    conversation(edited, home, claude, script)

    assert (edited.workspace / "file").read_text() == "one"
