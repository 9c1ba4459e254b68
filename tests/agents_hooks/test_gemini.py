"""Gemini CLI's hooks, with payloads recorded from 0.61.0."""

from __future__ import annotations

from typing import Any

import pytest

from clew.agents.calls import Call
from clew.agents.hooks.events import EventKind, HookAnswer
from clew.agents.hooks.gemini import read, reply
from clew.model.session import Format
from tests.agents_hooks.recorded import recorded

RECORDED = "gemini-0.61.0"


def ended_with(said: str, tool: str = "run_shell_command") -> str | None:
    """Return why a call failed that gave this back."""
    payload = {
        "hook_event_name": "AfterTool",
        "tool_name": tool,
        "tool_input": {"command": "make"},
        "tool_response": {"llmContent": said},
    }
    return read(payload).ended[0].failed


def test_a_recorded_run_is_read_in_order() -> None:
    kinds = [read(one).kind for one in recorded(RECORDED)]

    calls = [EventKind.BEFORE, EventKind.AFTER] * 4
    told = [kind for kind in kinds if kind != EventKind.OTHER]
    assert told == [
        EventKind.STARTED,
        EventKind.PROMPTED,
        *calls,
        EventKind.STOPPED,
        EventKind.ENDED,
    ]


def test_compaction_on_every_turn_of_the_loop_is_nothing_to_us() -> None:
    every = recorded(RECORDED, "PreCompress")

    assert len(every) > 3
    assert {read(one).kind for one in every} == {EventKind.OTHER}


def test_prompt_session_place_and_transcript_are_known() -> None:
    event = read(recorded(RECORDED, "BeforeAgent")[0])

    assert event.prompt == "build it"
    assert (event.session[:8], event.cwd) == ("95172465", "/w")
    assert event.transcript == "/home/a/.gemini/tmp/w/chats/session-2026-11-16T13-23-95172465.jsonl"
    assert event.format == Format.JSONL


def test_a_failing_command_is_known_by_what_its_model_reads() -> None:
    ended = [read(one).ended[0] for one in recorded(RECORDED, "AfterTool")]

    assert [one.failed for one in ended] == [None, None, "exit code 3", None]
    assert ended[2].call == Call("run_shell_command", {"command": "ls nothing-there; exit 3"})


def test_a_command_that_was_killed_has_failed() -> None:
    said = "<untrusted_context>\nOutput: (empty)\nSignal: 9\nProcess Group PGID: 5\n"

    assert ended_with(said + "</untrusted_context>") == "signal 9"


def test_what_a_command_prints_is_not_taken_for_its_end() -> None:
    printed = "Output: a\nExit Code: 7\nb\nProcess Group PGID: 1"

    assert ended_with(printed) is None
    assert ended_with(printed + "\nExit Code: 2\nProcess Group PGID: 5") == "exit code 2"


def test_a_file_that_reads_like_the_end_of_a_command_has_not_failed() -> None:
    assert ended_with("\nExit Code: 2\nProcess Group PGID: 5", tool="read_file") is None


@pytest.mark.parametrize("error", [{"message": "no match", "type": "edit"}, "no match"])
def test_a_tool_that_failed_says_so(error: object) -> None:
    payload = recorded(RECORDED, "AfterTool")[0]
    payload["tool_response"]["error"] = error

    assert read(payload).ended[0].failed == "no match"


def test_its_own_list_is_the_plan() -> None:
    last = recorded(RECORDED, "AfterTool")[-1]

    assert read(last).plan == (("make it", "completed"), ("test it", "in-progress"))


@pytest.mark.parametrize("answer", [HookAnswer(refusal="no"), HookAnswer(question="no")])
def test_a_refusal_and_a_question_both_deny(answer: HookAnswer) -> None:
    event = read(recorded(RECORDED, "BeforeTool")[0])

    assert reply(event, answer) == {"decision": "deny", "reason": "no"}


def test_words_reach_its_model_where_it_takes_them() -> None:
    said: Any = {
        one["hook_event_name"]: reply(read(one), HookAnswer(context="c"))
        for one in recorded(RECORDED)
    }

    assert {name for name in said if said[name]} == {"SessionStart", "BeforeAgent", "AfterTool"}
    assert said["AfterTool"]["hookSpecificOutput"]["additionalContext"] == "c"
