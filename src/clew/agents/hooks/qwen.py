"""qwen-code's hooks: Claude Code's names, with Gemini CLI's content.

* `UserPromptSubmit` is sent again after every call, with an empty prompt, which is ignored.
* A failing command sends `PostToolUse`, with its exit code in the output for the model;
  a failing tool sends `PostToolUseFailure`, and nothing after it.
* `SessionStart` is not sent without a terminal.
* It treats a question as a refusal without a reason, so a question becomes a refusal with one.
"""

from __future__ import annotations

from clew.agents.calls import Call, EndedCall
from clew.agents.hooks.contract import event_of, reply_to
from clew.agents.hooks.events import Event, EventKind, HookAnswer, Payload, text
from clew.agents.hooks.gemini import failure_in
from clew.agents.hooks.todo import plan_in
from clew.model.session import Format

NAME = "qwen"

_KINDS = {
    "SessionStart": EventKind.STARTED,
    "UserPromptSubmit": EventKind.PROMPTED,
    "PreToolUse": EventKind.BEFORE,
    "PostToolUse": EventKind.AFTER,
    "PostToolUseFailure": EventKind.AFTER,
    "SubagentStop": EventKind.AFTER,
    "Stop": EventKind.STOPPED,
    "SessionEnd": EventKind.ENDED,
}
_CARRY_CONTEXT = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure")


def read(payload: Payload) -> Event:
    """Return the event that a payload describes."""
    event = event_of(payload, _KINDS, Format.JSONL)
    name = event.name
    if event.kind == EventKind.PROMPTED and not event.prompt.strip():
        return event._replace(kind=EventKind.OTHER)
    if name == "PreToolUse":
        return event._replace(call=_call(payload))
    if name == "PostToolUseFailure":
        return event._replace(
            ended=(EndedCall(_call(payload), text(payload, "error") or "failed"),)
        )
    if name == "PostToolUse":
        ended = EndedCall(_call(payload), failure_in(payload))
        return event._replace(ended=(ended,), plan=_plan(ended))
    return event


def reply(event: Event, answer: HookAnswer) -> dict[str, object] | None:
    """Return the answer to qwen-code, or None."""
    return reply_to(event, answer, _CARRY_CONTEXT)


def _call(payload: Payload) -> Call:
    identifier = text(payload, "tool_use_id") or text(payload, "tool_call_id")
    return Call(text(payload, "tool_name") or "unknown tool", payload.get("tool_input"), identifier)


def _plan(ended: EndedCall) -> tuple[tuple[str, str], ...] | None:
    given = ended.call.arguments
    if ended.call.tool != "todo_write" or ended.failed is not None or not isinstance(given, dict):
        return None
    return plan_in(given, "todos", "content")
