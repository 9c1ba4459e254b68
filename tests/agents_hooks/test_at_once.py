"""Concurrent hooks of two agents in one workspace: nothing is lost, and nothing deadlocks."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.agents_hooks.hooking import Hook

EVENTS = 20


def work(hook: Hook, who: str) -> None:
    """Let one agent make a file, run what fails, tick off a task; each a process of its own."""
    transcript = hook.transcript.with_name(f"{who}.jsonl")
    for number in range(EVENTS // 2):
        (hook.clew.workspace / f"{who}-{number}.txt").write_text(who)
        call = f"{who}{number}"
        with transcript.open("a") as file:
            file.write(f'{{"message":{{"content":[{{"tool_use_id":"{call}"}}]}}}}\n')
        task = {
            "tool_name": "TaskCreate",
            "tool_input": {"subject": call},
            "tool_response": f"Task #{number + 1} created",
            "tool_use_id": call,
        }
        common: dict[str, object] = {"session_id": who, "transcript_path": str(transcript)}
        for name, fields in (
            ("PostToolUseFailure", {"tool_use_id": call, "error": f"failed as {call}."}),
            ("PostToolBatch", {"tool_calls": [task]}),
        ):
            content = json.dumps(hook.payload(name, **common, **fields)).encode()
            ran = hook.run(content)
            assert (ran.code, ran.err) == (0, ""), ran


def test_two_hooks_at_once_lose_nothing(hook: Hook, tmp_path: Path) -> None:
    for who in ("one", "two"):
        hook.tell("SessionStart", session_id=who)
    with ThreadPoolExecutor() as pool:
        list(pool.map(work, (hook, hook), ("one", "two")))
    checkpoints = hook.clew.json("log", "-n", "1000")["checkpoints"]
    failed = " ".join(one["meta"].get("failed", "") for one in checkpoints)
    tasks = {
        who: [task["title"] for task in hook.clew.json("task", "list", "--session", who)["tasks"]]
        for who in ("one", "two")
    }
    status = hook.clew.json("status")["changes"]

    assert hook.log == []
    assert status == []
    for who in ("one", "two"):
        assert tasks[who] == [f"{who}{number}" for number in range(EVENTS // 2)]
        for number in range(EVENTS // 2):
            assert f"failed as {who}{number}." in failed
    hook.clew.ok("check", "--read-data")
