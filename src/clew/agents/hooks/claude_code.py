"""Claude Code's hooks.

* A failing Bash sends `PostToolUseFailure` and the batch, never `PostToolUse`; the batch contains
  only what the model reads, so a failure is recorded at `PostToolUseFailure`.
* `UserPromptSubmit` is also sent for reports of background agents; these are not a user's prompts.
* At `Stop` background agents may still be running.
* The batch is sent about 0.1 s before its results are in the transcript.
"""

from __future__ import annotations

from clew.agents.calls import Call, EndedCall
from clew.agents.hooks.contract import event_of, reply_to, transcript_of
from clew.agents.hooks.events import (
    Event,
    EventKind,
    HookAnswer,
    Payload,
    TaskUpdate,
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
_NOT_A_USER = ("<task-notification", "<system-reminder", "<teammate-message")
_ERROR, _END_OF_ERROR = "<tool_use_error>", "</tool_use_error>"
_MAX_DIGITS = 6
_MAX_NAME = 100
_INTERACTIVE_MODES = ("", "default", "acceptEdits", "plan")
"""Modes in which the user can be asked; in the others there is no answer, or always a yes."""


def read(payload: Payload) -> Event:
    """Return the event that a payload describes."""
    event = event_of(payload, _KINDS, Format.CLAUDE_CODE)._replace(
        background=len(items(payload, "background_tasks")),
        can_ask=text(payload, "permission_mode") in _INTERACTIVE_MODES,
    )
    name = event.name
    if event.kind == EventKind.PROMPTED and _is_agent_report(event.prompt):
        return event._replace(kind=EventKind.OTHER)
    if name == "PreToolUse":
        return event._replace(call=call_of(payload))
    if name == "PostToolUseFailure":
        why = text(payload, "error") or "failed"
        if payload.get("is_interrupt") is True:  # no batch follows an interrupt
            event = event._replace(kind=EventKind.AFTER)
        return event._replace(ended=(EndedCall(call_of(payload), why),))
    if name == "PostToolBatch":
        calls = items(payload, "tool_calls")
        return event._replace(
            ended=tuple(map(_ended, calls)),
            plan=plan_of(calls),
            tasks=_tasks(calls),
            results=_results_path(payload),
        )
    return event


def reply(event: Event, answer: HookAnswer) -> dict[str, object] | None:
    """Return the answer to Claude Code, or None."""
    return reply_to(event, answer, _CARRY_CONTEXT, asks=True)


def call_of(payload: Payload) -> Call:
    """Return the call that a payload describes."""
    tool = text(payload, "tool_name") or "unknown tool"
    return Call(tool, payload.get("tool_input"), text(payload, "tool_use_id"))


def plan_of(calls: list[Payload]) -> Plan | None:
    """Return the task list of the last TodoWrite call (the older tool); None if there is none."""
    for one in reversed(calls):
        if text(one, "tool_name") == "TodoWrite" and not _error(one):
            return plan_in(mapping(one, "tool_input"), "todos", "content")
    return None


def _ended(payload: Payload) -> EndedCall:
    return EndedCall(call_of(payload), _error(payload))


def _error(payload: Payload) -> str | None:
    """Return the reason of a refusal; failures of the tool itself are separate events."""
    response = text(payload, "tool_response").lstrip()
    if not response.startswith(_ERROR):
        return None
    return response.removeprefix(_ERROR).partition(_END_OF_ERROR)[0].strip()


def _tasks(calls: list[Payload]) -> tuple[TaskUpdate, ...]:
    found = []
    for one in calls:
        if _error(one):
            continue
        given = mapping(one, "tool_input")
        status = STATUSES.get(text(given, "status"), "")
        if text(one, "tool_name") == "TaskCreate":
            # "Task #1 created successfully: write the tests"
            digits = text(one, "tool_response").partition("#")[2].partition(" ")[0]
            if (number := _number(digits)) is not None:
                found.append(TaskUpdate(number, text(given, "subject")))
        elif text(one, "tool_name") == "TaskUpdate":
            if (number := _number(text(given, "taskId"))) is not None:
                found.append(TaskUpdate(number, text(given, "subject"), status))
    return tuple(found)


def _number(digits: str) -> int | None:
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS
    return int(digits) if is_number else None


def _is_agent_report(prompt: str) -> bool:
    """Return whether a prompt is a report of background agents and not a user's."""
    return prompt.lstrip().startswith(_NOT_A_USER)


def _results_path(payload: Payload) -> str | None:
    """Return the transcript with the results: a subagent has its own."""
    transcript, subagent = transcript_of(payload), text(payload, "agent_id")
    if transcript is None or not subagent:
        return transcript
    is_name = len(subagent) <= _MAX_NAME and subagent.replace("-", "").replace("_", "").isalnum()
    return f"{transcript[: -len('.jsonl')]}/subagents/agent-{subagent}.jsonl" if is_name else None
