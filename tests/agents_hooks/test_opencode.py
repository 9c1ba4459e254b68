"""opencode's hooks, with events that our plugin sends from 1.18.33."""

from __future__ import annotations

import pytest

from clew.agents.calls import words_for
from clew.agents.hooks.events import EventKind, HookAnswer
from clew.agents.hooks.opencode import read, reply
from tests.agents_hooks.recorded import recorded

RECORDED = "opencode-1.18.33"


def test_a_recorded_run_is_read_in_order() -> None:
    kinds = [read(one).kind for one in recorded(RECORDED)]

    assert kinds == [
        EventKind.STARTED,
        EventKind.PROMPTED,
        *[EventKind.BEFORE, EventKind.AFTER] * 4,
        EventKind.STOPPED,
    ]


def test_a_prompt_loses_the_quotes_that_its_command_line_added() -> None:
    prompt = recorded(RECORDED, "chat.message")[0]

    assert prompt["prompt"] == '"build it"'
    assert read(prompt).prompt == "build it"
    assert read(prompt | {"prompt": '"a" and "b"'}).prompt == '"a" and "b"'
    assert read(prompt | {"prompt": '"'}).prompt == '"'


def test_its_conversation_is_in_no_file() -> None:
    assert {read(one).transcript for one in recorded(RECORDED)} == {None}


def test_a_failing_command_is_told_with_its_exit_code() -> None:
    ended = [read(one).ended[0] for one in recorded(RECORDED, "tool.execute.after")]

    assert [one.failed for one in ended] == [None, None, "exit code 3", None]
    assert [words_for(one.call) for one in ended[:2]] == [
        "write made.txt",
        "echo hi > other; rm gone",
    ]


@pytest.mark.parametrize("code", [None, True, "1", 0, [1], 1.5])
def test_an_exit_code_that_is_none_is_no_failure(code: object) -> None:
    payload = recorded(RECORDED, "tool.execute.after")[2] | {"exit": code}

    assert read(payload).ended[0].failed is None


def test_its_own_list_is_the_plan() -> None:
    last = recorded(RECORDED, "tool.execute.after")[-1]

    assert read(last).plan == (("make it", "completed"), ("test it", "in-progress"))


@pytest.mark.parametrize("answer", [HookAnswer(refusal="no"), HookAnswer(question="no")])
def test_a_refusal_and_a_question_both_deny(answer: HookAnswer) -> None:
    event = read(recorded(RECORDED, "tool.execute.before")[0])

    assert reply(event, answer) == {"deny": "no"}


def test_words_reach_its_model_with_a_prompt_and_after_a_call() -> None:
    told = {
        one["hook_event_name"]
        for one in recorded(RECORDED)
        if reply(read(one), HookAnswer(context="c")) == {"context": "c"}
    }

    assert told == {"session.created", "chat.message", "tool.execute.after"}
