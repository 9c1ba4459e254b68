"""Secrets in hook payloads reach no label, no log and no answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents_hooks.hooking import Hook
from tests.agents_hooks.recorded import TESTDATA, recorded
from tests.kit.canaries import Canaries, kept_outside_packs

RECORDINGS = {
    "claude-code": "claude-code-2.1.325",
    "codex": "codex-0.166.0",
    "gemini": "gemini-0.61.0",
    "opencode": "opencode-1.18.33",
    "qwen": "qwen-0.15.10",
}
SPOKEN = ("prompt", "command", "title", "content", "error", "tool_response", "stdout", "stderr",
          "description", "text", "output", "llmContent", "last_assistant_message")  # fmt: skip
LOOKING = (("log",), ("show", "@"), ("status",), ("brief",), ("task", "list"), ("effect", "list"),
           ("session", "list"), ("doctor",))  # fmt: skip


def planted(value: Any, canaries: Canaries, where: str = "") -> Any:
    """Return a payload in which every text that a person or a model wrote holds a secret."""
    if isinstance(value, dict):
        return {key: planted(item, canaries, key) for key, item in value.items()}
    if isinstance(value, list):
        return [planted(item, canaries, where) for item in value]
    if isinstance(value, str) and where in SPOKEN:
        return f"{value}; {canaries.typed(where)}"
    return value


def test_every_agent_has_a_recording() -> None:
    from clew.agents.hooks.entry import AGENTS

    assert RECORDINGS.keys() == AGENTS.keys()
    assert all((TESTDATA / f"{name}.jsonl").exists() for name in RECORDINGS.values())


@pytest.mark.parametrize("agent", RECORDINGS)
def test_no_label_and_no_answer_holds_what_an_agent_gave_away(hook: Hook, agent: str) -> None:
    canaries = Canaries()
    said: list[str] = []
    for number, payload in enumerate(recorded(RECORDINGS[agent])):
        (hook.clew.workspace / "work").write_text(str(number))
        told = planted(payload, canaries) | {"cwd": str(hook.clew.workspace)}
        told["transcript_path"] = str(hook.transcript)
        ran = hook.run(json.dumps(told).encode(), agent)
        said += ran.out, ran.err
    for words in LOOKING:
        ran = hook.clew.run(*words, "--json")
        said += ran.out, ran.err

    assert len(canaries.planted) > 3
    assert hook.clew.json("log")["checkpoints"][0]["origin"] == "hook"
    assert canaries.found_in(*said) == {}
    assert canaries.found_in(*kept_outside_packs(hook.clew.store)) == {}
    assert canaries.found_in(hook.everything()) == {}


def test_a_hook_that_fails_logs_no_secret(hook: Hook) -> None:
    canaries = Canaries()
    long = "x " * 490
    for agent in (canaries.typed("the agent's name"), long + canaries.typed("at the cut")):
        hook.run(b"{}", agent)
    hook.run(json.dumps({"hook_event_name": canaries.typed("the event's name")}).encode(), "codex")
    event = {"hook_event_name": "UserPromptSubmit", "cwd": "\0" + canaries.typed("the directory")}
    hook.run(json.dumps(event).encode(), "claude-code")

    assert len(hook.log) >= 3
    assert canaries.found_in(hook.log_path.read_bytes()) == {}
    assert canaries.found_in(hook.clew.run("doctor", "--json").out) == {}


def test_what_an_older_clew_logged_is_shown_redacted(hook: Hook) -> None:
    canaries = Canaries()
    path = Path(hook.log_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    line = {"time_ns": 1, "agent": "codex", "event": "x", "directory": "/w"}
    path.write_text(json.dumps({**line, "message": canaries.typed("an old log")}) + "\n")
    ran = hook.clew.run("doctor", "--json")

    assert '"codex"' in ran.out
    assert canaries.found_in(ran.out) == {}
