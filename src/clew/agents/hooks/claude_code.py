"""Claude Code's hooks.

* A failing Bash reaches `PostToolUseFailure` and the batch, never `PostToolUse`; the batch says only
  what the model reads, so what failed is noted when the failure is told.
* `UserPromptSubmit` also brings what background agents report; that is nobody's prompt.
* At `Stop` background agents may still be running.
* The batch is told of a tenth of a second before its results are in the transcript.
"""

from __future__ import annotations

from clew.agents.calls import Call, EndedCall
from clew.agents.hooks.contract import event_of, reply_to, transcript_of
from clew.agents.hooks.events import (
    Event,
    EventKind,
    HookAnswer,
    Payload,
    TaskNews,
    items,
    mapping,
    text,
)
from clew.agents.hooks.todo import STATUSES, Plan, plan_in
from clew.model.session import Format

NAME = "claude-code"

_KINDS = {
    "SessionStart": EventKind.STARTED,
    "UserPromptSubmit": EventKind.PROMPTED,
    "PreToolUse": EventKind.BEFORE,
    "PostToolUseFailure": EventKind.FAILED,
    "PostToolBatch": EventKind.AFTER,
    "SubagentStop": EventKind.AFTER,
    "Stop": EventKind.STOPPED,
    "SessionEnd": EventKind.ENDED,
}
_CARRY_CONTEXT = ("SessionStart", "UserPromptSubmit", "PostToolBatch")
_NOT_A_PERSON = ("<task-notification", "<system-reminder", "<teammate-message")
_ERROR, _END_OF_ERROR = "<tool_use_error>", "</tool_use_error>"
_MOST_DIGITS = 6
_LONGEST_NAME = 100
_ASKS = ("", "default", "acceptEdits", "plan")
"""Modes in which a person is there to be asked; in the others nobody answers, or all is answered yes."""


def read(payload: Payload) -> Event:
    """Return what happened."""
    event = event_of(payload, _KINDS, Format.CLAUDE_CODE)._replace(
        background=len(items(payload, "background_tasks")),
        can_ask=text(payload, "permission_mode") in _ASKS,
    )
    name = event.name
    if event.kind == EventKind.PROMPTED and _is_nobodys(event.prompt):
        return event._replace(kind=EventKind.OTHER)
    if name == "PreToolUse":
        return event._replace(call=call_of(payload))
    if name == "PostToolUseFailure":
        why = text(payload, "error") or "failed"
        if payload.get("is_interrupt") is True:  # then no batch comes after it
            event = event._replace(kind=EventKind.AFTER)
        return event._replace(ended=(EndedCall(call_of(payload), why),))
    if name == "PostToolBatch":
        calls = items(payload, "tool_calls")
        return event._replace(
            ended=tuple(map(_ended, calls)),
            plan=plan_of(calls),
            tasks=_tasks(calls),
            results=_results(payload),
        )
    return event


def reply(event: Event, answer: HookAnswer) -> dict[str, object] | None:
    """Return what Claude Code is told, or None for nothing."""
    return reply_to(event, answer, _CARRY_CONTEXT, asks=True)


def call_of(payload: Payload) -> Call:
    """Return the call that a payload tells of."""
    tool = text(payload, "tool_name") or "unknown tool"
    return Call(tool, payload.get("tool_input"), text(payload, "tool_use_id"))


def plan_of(calls: list[Payload]) -> Plan | None:
    """Return the list that the last call of the older to-do tool wrote; None if none did."""
    for one in reversed(calls):
        if text(one, "tool_name") == "TodoWrite" and not _error(one):
            return plan_in(mapping(one, "tool_input"), "todos", "content")
    return None


def _ended(payload: Payload) -> EndedCall:
    return EndedCall(call_of(payload), _error(payload))


def _error(payload: Payload) -> str | None:
    """Return what a call was refused with; failures of the tool itself are told by themselves."""
    said = text(payload, "tool_response").lstrip()
    if not said.startswith(_ERROR):
        return None
    return said.removeprefix(_ERROR).partition(_END_OF_ERROR)[0].strip()


def _tasks(calls: list[Payload]) -> tuple[TaskNews, ...]:
    found = []
    for one in calls:
        if _error(one):
            continue
        given = mapping(one, "tool_input")
        status = STATUSES.get(text(given, "status"), "")
        if text(one, "tool_name") == "TaskCreate":
            # "Task #1 created successfully: write the tests"
            told = text(one, "tool_response").partition("#")[2].partition(" ")[0]
            if (number := _number(told)) is not None:
                found.append(TaskNews(number, text(given, "subject")))
        elif text(one, "tool_name") == "TaskUpdate":
            if (number := _number(text(given, "taskId"))) is not None:
                found.append(TaskNews(number, text(given, "subject"), status))
    return tuple(found)


def _number(digits: str) -> int | None:
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
    return int(digits) if is_number else None


def _is_nobodys(prompt: str) -> bool:
    """Tell whether a prompt is what background agents report, and no person's."""
    return prompt.lstrip().startswith(_NOT_A_PERSON)


def _results(payload: Payload) -> str | None:
    """Return the file that results come to: a helper's are in one of its own."""
    transcript, helper = transcript_of(payload), text(payload, "agent_id")
    if transcript is None or not helper:
        return transcript
    is_name = len(helper) <= _LONGEST_NAME and helper.replace("-", "").replace("_", "").isalnum()
    return f"{transcript[: -len('.jsonl')]}/subagents/agent-{helper}.jsonl" if is_name else None
