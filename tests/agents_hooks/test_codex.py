"""Codex's hooks, with payloads recorded from 0.166.0."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from clew.agents.calls import Call, words_for
from clew.agents.hooks.codex import read, reply
from clew.agents.hooks.events import EventKind, HookAnswer
from clew.model.session import Format
from tests.agents_hooks.recorded import TESTDATA, recorded

RECORDED = "codex-0.166.0"


@pytest.fixture
def rollout(tmp_path: Path) -> Path:
    """The rollout that was written during the recording."""
    path = tmp_path / "rollout-1.jsonl"
    shutil.copy(TESTDATA / "codex-0.166.0-rollout.jsonl", path)
    return path


def after(call: str, rollout: Path) -> dict[str, Any]:
    found = [one for one in recorded(RECORDED, "PostToolUse") if one["tool_use_id"] == call]
    return found[0] | {"transcript_path": str(rollout)}


def test_a_recorded_run_is_read_in_order() -> None:
    kinds = [read(one).kind for one in recorded(RECORDED)]

    calls = [EventKind.BEFORE, EventKind.AFTER] * 3
    assert kinds == [
        EventKind.STARTED,
        EventKind.PROMPTED,
        *calls,
        EventKind.STOPPED,
        EventKind.ENDED,
    ]


def test_session_place_and_rollout_are_known() -> None:
    event = read(recorded(RECORDED)[0])

    assert event.session == "01a1e484-bd9c-7911-a3a7-20806d330cfd"
    assert event.cwd == "/w"
    assert event.transcript is not None
    assert event.transcript.endswith(f"-{event.session}.jsonl")
    assert event.format == Format.CODEX


def test_the_exit_code_that_no_hook_tells_is_in_the_rollout(rollout: Path) -> None:
    failed = read(after("call_3", rollout)).ended[0]
    worked = read(after("call_2", rollout)).ended[0]

    assert failed.failed == "exit code 3"
    assert failed.call == Call("Bash", {"command": "ls nothing-there; exit 3"}, "call_3")
    assert worked.failed is None


def test_the_exit_code_is_found_in_what_the_model_reads_too(rollout: Path) -> None:
    lines = rollout.read_text().splitlines(keepends=True)
    rollout.write_text("".join(line for line in lines if '"exit_code"' not in line))

    assert read(after("call_3", rollout)).ended[0].failed == "exit code 3"


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\n{}\n[]\n7\n", b'"call_3"\n' * 50])
def test_without_a_readable_rollout_nobody_knows_how_it_ended(
    rollout: Path, content: bytes
) -> None:
    rollout.write_bytes(content)
    damaged = read(after("call_3", rollout)).ended[0]
    rollout.unlink()
    gone = read(after("call_3", rollout)).ended[0]

    assert damaged.failed is None
    assert gone.failed is None


def test_only_the_end_of_a_long_rollout_is_read(rollout: Path) -> None:
    recent = rollout.read_bytes()
    rollout.write_bytes(b'{"payload": {"text": "' + b"x" * (3 << 20) + b'"}}\n' + recent)

    assert read(after("call_3", rollout)).ended[0].failed == "exit code 3"


def test_a_patch_is_called_by_the_file_it_changes() -> None:
    event = read(recorded(RECORDED, "PreToolUse")[0])

    assert event.call is not None
    assert words_for(event.call) == "apply_patch made.txt"


def test_the_plan_comes_from_the_rollout_unless_codex_knew_no_such_tool(rollout: Path) -> None:
    refused = read(after("call_3", rollout)).plan
    content = rollout.read_text().replace("unsupported call: update_plan", "Plan updated")
    rollout.write_text(content)

    assert refused is None
    assert read(after("call_3", rollout)).plan == (
        ("make it", "completed"),
        ("test it", "in-progress"),
    )


@pytest.mark.parametrize("answer", [HookAnswer(refusal="no"), HookAnswer(question="really?")])
def test_a_refusal_and_a_question_both_deny(answer: HookAnswer) -> None:
    said = reply(read(recorded(RECORDED, "PreToolUse")[0]), answer)

    assert said is not None
    special: Any = said["hookSpecificOutput"]
    assert special["permissionDecision"] == "deny"
    assert special["permissionDecisionReason"] in ("no", "really?")


_KNOWN = {
    "PreToolUse": {"permissionDecision", "permissionDecisionReason"},
    "PostToolUse": {"additionalContext"},
    "SessionStart": {"additionalContext"},
    "UserPromptSubmit": {"additionalContext"},
}
"""The fields that Codex's schemas have for each event; one more, and the answer is thrown away."""


def test_no_answer_has_a_field_that_codex_does_not_know() -> None:
    full = HookAnswer(context="c", refusal="r", question="q", notice="n")
    for payload in recorded(RECORDED):
        said: Any = reply(read(payload), full) or {}
        name = payload["hook_event_name"]
        special = said.get("hookSpecificOutput", {"hookEventName": name})

        assert set(said) <= {"hookSpecificOutput", "systemMessage"}
        assert special.pop("hookEventName") == name
        assert set(special) <= _KNOWN.get(name, set())
        assert json.loads(json.dumps(said)) == said


def test_nothing_to_say_is_no_answer() -> None:
    assert all(reply(read(one), HookAnswer()) is None for one in recorded(RECORDED))
