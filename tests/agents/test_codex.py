"""The real Codex goes on from exactly what a checkpoint holds."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

from tests.agents.conftest import RunAgent
from tests.agents.stub_model import Step, stub_model
from tests.kit.running import SOURCE, Clew


def script(home: Path) -> list[Step]:
    """Write a file, attach and save in the middle of a call, write another, and end."""
    clew = shlex.join([sys.executable, "-m", "clew"])
    rollout = f"{shlex.quote(str(home))}/.codex/sessions/*/*/*/rollout-*.jsonl"
    attach = f"{clew} session attach --agent codex --format codex --transcript {rollout}"
    return [
        {"tool": "exec_command", "args": {"cmd": "echo 1 > one"}},
        {"tool": "exec_command", "args": {"cmd": f"{attach} && {clew} save --name half-way"}},
        {"tool": "exec_command", "args": {"cmd": "echo 2 > two"}},
        {"text": "all is done"},
    ]


def essence(items: list[dict[str, Any]]) -> list[str]:
    """Return what was asked, called and answered, without what the agent adds of its own."""
    found = []
    for item in items:
        if item["type"] == "message" and item["role"] != "developer":
            found += [block["text"] for block in item["content"] if block["text"][:1] != "<"]
        elif item["type"].endswith("_output"):
            found.append("aborted" if "aborted" in str(item["output"]) else "output")
        elif item["type"] == "function_call":
            found.append("call")
    return found


def test_a_restored_conversation_is_asked_exactly_and_goes_on(
    clew: Clew, home: Path, codex: RunAgent
) -> None:
    clew.ok("init")
    with stub_model(script(home)) as model:
        codex(
            clew.workspace, model.address, "build it",
            CLEW_HOME=str(clew.store), PYTHONPATH=str(SOURCE),
        )  # fmt: skip
    restored = clew.json("restore", "half-way", "--yes")
    command = restored["resumable"]["command"].split()
    with stub_model([*script(home)[:2], {"text": "going on"}]) as model:
        answer = codex(clew.workspace, model.address, *command[1:], "and now?")

    assert command[:2] == ["codex", "resume"]
    assert essence(model.asked[0]) == ["build it", "call", "output", "call", "aborted", "and now?"]
    assert "going on" in answer
    assert sorted(path.name for path in clew.workspace.iterdir()) == ["one"]
