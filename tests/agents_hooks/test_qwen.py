"""qwen-code's hooks, with payloads recorded from 0.15.10."""

from __future__ import annotations

from typing import Any

import pytest

from clew.agents.hooks.events import EventKind, HookAnswer
from clew.agents.hooks.qwen import read, reply
from clew.model.session import Format
from tests.agents_hooks.recorded import recorded

RECORDED = "qwen-0.15.10"


def test_a_recorded_run_is_read_in_order() -> None:
    kinds = [read(one).kind for one in recorded(RECORDED)]

    told = [kind for kind in kinds if kind != EventKind.OTHER]
    assert told == [EventKind.PROMPTED, *[EventKind.BEFORE, EventKind.AFTER] * 4, EventKind.STOPPED]


def test_a_prompt_without_words_is_nobodys() -> None:
    first, *others = (read(one) for one in recorded(RECORDED, "UserPromptSubmit"))

    assert (first.kind, first.prompt) == (EventKind.PROMPTED, "build it")
    assert [one.kind for one in others] == [EventKind.OTHER] * 4


def test_session_place_and_transcript_are_known() -> None:
    event = read(recorded(RECORDED)[1])

    assert event.session == "00d3b764-e994-4d0e-b3be-10cceadff81a"
    assert event.cwd == "/w"
    assert event.transcript == f"/home/a/.qwen/projects/-w/chats/{event.session}.jsonl"
    assert event.format == Format.JSONL


def test_a_failing_command_is_known_by_what_its_model_reads() -> None:
    ended = [read(one).ended[0] for one in recorded(RECORDED, "PostToolUse")]

    assert [one.failed for one in ended] == [None, None, "exit code 3", None]
    assert ended[2].call.id == "toolu_1794835275434_3ruzr571p"


def test_a_command_that_was_killed_has_failed_although_its_exit_code_is_0() -> None:
    payload = recorded(RECORDED, "PostToolUse")[1]
    response = payload["tool_response"]
    response["llmContent"] = response["llmContent"].replace("Signal: 0", "Signal: 9")

    assert read(payload).ended[0].failed == "signal 9"


def test_a_tool_that_failed_reaches_only_the_failure_event() -> None:
    payload = recorded(RECORDED, "PreToolUse")[0]
    payload |= {"hook_event_name": "PostToolUseFailure", "error": "not read yet"}
    event = read(payload)

    assert event.kind == EventKind.AFTER
    assert event.ended[0].failed == "not read yet"


def test_its_own_list_is_the_plan() -> None:
    last = recorded(RECORDED, "PostToolUse")[-1]

    assert read(last).plan == (("make it", "in-progress"), ("test it", "pending"))


@pytest.mark.parametrize("answer", [HookAnswer(refusal="no"), HookAnswer(question="no")])
def test_a_refusal_and_a_question_both_deny(answer: HookAnswer) -> None:
    said: Any = reply(read(recorded(RECORDED, "PreToolUse")[0]), answer)

    assert said["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "no",
    }


def test_words_reach_its_model_after_a_call() -> None:
    said: Any = reply(read(recorded(RECORDED, "PostToolUse")[0]), HookAnswer(context="c"))

    assert said["hookSpecificOutput"]["additionalContext"] == "c"
