"""Claude Code's hooks, with payloads recorded from 2.1.325."""

from __future__ import annotations

from typing import Any

import pytest

from clew.agents.calls import Call
from clew.agents.hooks.claude_code import read, reply
from clew.agents.hooks.events import EventKind, HookAnswer, TaskUpdate
from clew.model.session import Format
from tests.agents_hooks.recorded import recorded

RECORDED = "claude-code-2.1.325"
HELPERS = "claude-code-2.1.325-helpers"


def batch(*calls: dict[str, Any]) -> dict[str, Any]:
    return recorded(RECORDED, "PostToolBatch")[0] | {"tool_calls": list(calls)}


def task(tool: str, response: str, **given: str) -> dict[str, Any]:
    return {"tool_name": tool, "tool_input": given, "tool_response": response, "tool_use_id": "t"}


def test_a_recorded_run_is_read_in_order() -> None:
    kinds = [read(one).kind for one in recorded(RECORDED)]
    told = [kind for kind in kinds if kind != EventKind.OTHER]

    calls = [EventKind.BEFORE, EventKind.AFTER] * 2 + [
        EventKind.BEFORE,
        EventKind.FAILED,
        EventKind.AFTER,
        EventKind.AFTER,
    ]
    assert told == [
        EventKind.STARTED,
        EventKind.PROMPTED,
        *calls,
        EventKind.STOPPED,
        EventKind.ENDED,
    ]


def test_session_place_and_transcript_are_known() -> None:
    event = read(recorded(RECORDED)[0])

    assert event.session == "5a803d6b-f7fc-4a09-b409-326efc2cf0d5"
    assert event.cwd == "/w"
    assert event.transcript == f"/home/a/.claude/projects/-w/{event.session}.jsonl"
    assert event.format == Format.CLAUDE_CODE


def test_a_failing_command_is_told_before_its_batch_with_the_id_that_the_batch_has() -> None:
    failure = read(recorded(RECORDED, "PostToolUseFailure")[0])
    in_batch = read(recorded(RECORDED, "PostToolBatch")[2])

    assert failure.kind == EventKind.FAILED
    assert failure.ended[0].call == Call("Bash", {"command": "ls nothing-there; exit 3"}, "toolu_3")
    assert (failure.ended[0].failed or "").startswith("Exit code 3")
    assert in_batch.ended[0].call.id == "toolu_3"


def test_after_an_interrupt_no_batch_comes_and_the_failure_stands_for_it() -> None:
    payload = recorded(RECORDED, "PostToolUseFailure")[0]

    assert read(payload | {"is_interrupt": True}).kind == EventKind.AFTER


def test_a_call_that_was_not_understood_has_failed() -> None:
    (ended,) = read(recorded(RECORDED, "PostToolBatch")[3]).ended

    assert (ended.failed or "").startswith("Error: No such tool available")


def test_what_helpers_report_is_nobodys_prompt() -> None:
    first, report = recorded(HELPERS, "UserPromptSubmit")

    assert read(first).kind == EventKind.PROMPTED
    assert report["prompt"].startswith("<task-notification>")
    assert read(report).kind == EventKind.OTHER


def test_a_prompt_that_only_speaks_of_notifications_is_a_persons() -> None:
    payload = recorded(RECORDED, "UserPromptSubmit")[0]
    prompt = "what is <task-notification> for?"

    assert read(payload | {"prompt": prompt}).kind == EventKind.PROMPTED


def test_helpers_that_still_run_when_it_stops_are_counted() -> None:
    first, last = recorded(HELPERS, "Stop")

    assert [read(first).background, read(last).background] == [2, 0]


def test_results_of_a_helper_come_to_a_file_of_its_own() -> None:
    own, helpers = (
        next(read(one) for one in recorded(HELPERS, "PostToolBatch") if ("agent_id" in one) is is_in)
        for is_in in (False, True)
    )  # fmt: skip

    assert own.results == own.transcript == helpers.transcript
    assert helpers.results == (
        f"/home/a/.claude/projects/-w/{own.session}/subagents/agent-a651b84dfff36ac4b.jsonl"
    )


@pytest.mark.parametrize("helper", ["../../x", "a/b", "a\0b", "x" * 1000, "a\nb"])
def test_a_helper_whose_name_is_a_path_has_no_file(helper: str) -> None:
    payload = recorded(RECORDED, "PostToolBatch")[0] | {"agent_id": helper}

    assert read(payload).results is None


def test_its_own_list_becomes_tasks() -> None:
    news = [one for payload in recorded(HELPERS) for one in read(payload).tasks]

    assert news == [
        TaskUpdate(1, "make it"),
        TaskUpdate(2, "test it"),
        TaskUpdate(1, "", "in-progress"),
    ]


@pytest.mark.parametrize("number", ["", "x", "-1", "9" * 5000, "1.5", "²", "٣"])
def test_a_task_without_a_number_is_no_task(number: str) -> None:
    update = task("TaskUpdate", "Updated", taskId=number, status="completed")

    assert read(batch(update)).tasks == ()


def test_a_task_that_could_not_be_changed_is_as_it_was() -> None:
    error = "<tool_use_error>No such task: #3</tool_use_error>"
    create = task("TaskCreate", error, subject="new")
    update = task("TaskUpdate", error, taskId="3", status="completed")

    assert read(batch(create, update)).tasks == ()


def test_the_older_list_is_the_plan_and_the_last_one_counts() -> None:
    def todo(status: str) -> dict[str, Any]:
        given = {"todos": [{"content": "make it", "status": status}, {"content": "test it"}]}
        return {"tool_name": "TodoWrite", "tool_input": given, "tool_response": "ok"}

    event = read(batch(todo("in_progress"), todo("completed")))

    assert event.plan == (("make it", "completed"), ("test it", "pending"))
    assert read(recorded(RECORDED, "PostToolBatch")[3]).plan is None, "it was refused"


@pytest.mark.parametrize(
    ("mode", "can_ask"),
    [
        ("default", True),
        ("acceptEdits", True),
        ("plan", True),
        ("", True),
        ("bypassPermissions", False),
        ("dontAsk", False),
        ("auto", False),
        ("of a newer version", False),
    ],
)
def test_a_person_is_asked_where_one_can_answer(mode: str, can_ask: bool) -> None:
    payload = recorded(RECORDED, "PreToolUse")[0] | {"permission_mode": mode}

    assert read(payload).can_ask is can_ask


def test_a_refusal_denies_and_a_question_asks() -> None:
    event = read(recorded(RECORDED, "PreToolUse")[0])

    for answer, decision in (
        (HookAnswer(refusal="no"), "deny"),
        (HookAnswer(question="no"), "ask"),
    ):
        assert reply(event, answer) == {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": decision,
                "permissionDecisionReason": "no",
            }
        }


def test_words_reach_its_model_only_where_it_takes_them() -> None:
    every = [*recorded(RECORDED), *recorded(HELPERS)]
    told = {
        one["hook_event_name"]
        for one in every
        if reply(read(one), HookAnswer(context="c")) is not None
    }

    assert told == {"SessionStart", "UserPromptSubmit", "PostToolBatch"}


def test_a_notice_is_for_the_person() -> None:
    assert reply(read(recorded(RECORDED)[0]), HookAnswer(notice="n")) == {"systemMessage": "n"}


def test_nothing_to_say_is_no_answer() -> None:
    assert all(reply(read(one), HookAnswer()) is None for one in recorded(RECORDED))
