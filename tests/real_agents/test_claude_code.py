"""The real Claude Code continues from exactly the state of a checkpoint."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from clew.transcripts.claude_code import folder_of
from tests.kit.running import SOURCE, Clew
from tests.real_agents.conftest import RunAgent
from tests.real_agents.stub_model import Step, stub_model

NATIVE = "11111111-1111-4111-8111-111111111111"


def transcript_of(clew: Clew, home: Path) -> Path:
    """Return where Claude Code writes the conversation."""
    return home / ".claude" / "projects" / folder_of(str(clew.workspace)) / f"{NATIVE}.jsonl"


def script(clew: Clew, home: Path) -> list[Step]:
    """Write a file, save in the middle of a call, write another, and end.

    Claude Code writes its transcript in batches, so a call can begin before its line is written:
    the command waits for its own line, at most ten seconds.
    """
    transcript = shlex.quote(str(transcript_of(clew, home)))
    wait = f"for i in $(seq 500); do grep -q half-way {transcript} && break; sleep 0.02; done"
    save = shlex.join([sys.executable, "-m", "clew", "save", "half way", "--name", "half-way"])
    return [
        {"tool": "Write", "args": {"file_path": str(clew.workspace / "one"), "content": "1"}},
        {"tool": "Bash", "args": {"command": f"{wait}; {save}"}},
        {"tool": "Write", "args": {"file_path": str(clew.workspace / "two"), "content": "2"}},
        {"text": "all is done"},
    ]


def at_work(clew: Clew, home: Path, claude: RunAgent) -> Path:
    """Have an agent do the script in a session that is attached; return its transcript."""
    transcript = transcript_of(clew, home)
    clew.ok("init")
    clew.ok(
        "session", "attach", "--agent", "claude-code", "--name", NATIVE,
        "--transcript", str(transcript), "--format", "claude-code",
    )  # fmt: skip
    with stub_model(script(clew, home)) as model:
        claude(
            clew.workspace, model.address, "build it", "--session-id", NATIVE,
            CLEW_HOME=str(clew.store), PYTHONPATH=str(SOURCE),
        )  # fmt: skip
    return transcript


def essence(messages: list[dict[str, Any]]) -> list[str]:
    """Return what was asked, said, called and answered, without what the agent adds of its own."""
    found = []
    for message in messages:
        content = message["content"]
        blocks: list[dict[str, Any]] = (
            [{"type": "text", "text": content}] if isinstance(content, str) else content
        )
        for block in blocks:
            kind, text = block["type"], block.get("text", "")
            if kind == "tool_use":
                found.append(f"{block['name']} {block['input'].get('file_path', '')}".strip())
            elif kind == "tool_result":
                found.append("error" if block.get("is_error") else "result")
            elif kind == "text" and message["role"] != "system" and "<system-" not in text:
                found.append(text)
    return found


def test_a_restored_conversation_is_asked_exactly_and_goes_on(
    clew: Clew, home: Path, claude: RunAgent
) -> None:
    transcript = at_work(clew, home, claude)
    before = transcript.read_bytes()
    restored = clew.json("restore", "half-way", "--yes")
    command = restored["resumable_session"]["command"].split()
    with stub_model([*script(clew, home)[:2], {"text": "going on"}]) as model:
        answer = claude(clew.workspace, model.address, "and now?", *command[1:])

    assert command[:2] == ["claude", "--resume"]
    assert essence(model.asked[0]) == [
        "build it",
        f"Write {clew.workspace / 'one'}",
        "result",
        "Bash",
        "error",
        "No response requested.",  # what Claude Code puts behind a result before a new prompt
        "and now?",
    ]
    assert json.loads(answer)["result"] == "going on"
    assert sorted(path.name for path in clew.workspace.iterdir()) == ["one"]
    assert transcript.read_bytes() == before


def test_an_agent_goes_on_in_a_fork(
    clew: Clew, home: Path, claude: RunAgent, tmp_path: Path
) -> None:
    at_work(clew, home, claude)
    place = tmp_path / "my_fork"
    forked = clew.json("fork", "half-way", str(place), "--conversation")
    _, _, command = forked["resumable_session"]["command"].partition(" && ")
    there = [{"tool": "Write", "args": {"file_path": str(place / "three"), "content": "3"}}]
    with stub_model([*script(clew, home)[:2], *there, {"text": "going on"}]) as model:
        claude(place, model.address, "and here?", *command.split()[1:])

    assert essence(model.asked[0])[0] == "build it"
    assert essence(model.asked[0])[-1] == "and here?"
    assert sorted(path.name for path in place.iterdir()) == ["one", "three"]
    assert clew.json("session", "files", cwd=place)["session"]["name"] != NATIVE
