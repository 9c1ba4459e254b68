"""Gemini CLI's hooks: its own names.

* Calls have no id and no exit code: that of a shell command is a line of the output for the model.
* `PreCompress` is sent with every turn of the loop and `AfterModel` with every chunk of an answer;
  clew uses neither.
* If the tool itself failed, the same output has an `error`.
"""

from __future__ import annotations

import re

from clew.agents.calls import Call, EndedCall
from clew.agents.hooks.contract import event_of
from clew.agents.hooks.events import Event, EventKind, HookAnswer, Payload, mapping, text
from clew.agents.hooks.todo import plan_in
from clew.model.session import Format
from clew.policy.shell.tool_call import shell_line

NAME = "gemini"

_KINDS = {
    "SessionStart": EventKind.STARTED,
    "BeforeAgent": EventKind.PROMPTED,
    "BeforeTool": EventKind.BEFORE,
    "AfterTool": EventKind.AFTER,
    "AfterAgent": EventKind.STOPPED,
    "SessionEnd": EventKind.ENDED,
}
_CARRY_CONTEXT = ("SessionStart", "BeforeAgent", "AfterTool")
_SHELL_TRAILER = re.compile(
    r"(?:\nExit Code: (?P<code>[^\n]{1,20}))?"
    r"(?:\nSignal: (?P<signal>[^\n]{1,20}))?"
    r"(?:\nBackground PIDs: [^\n]*)?"
    r"\nProcess Group PGID: [^\n]{1,20}\s*(?:</untrusted_context>)?\s*\Z"
)
"""The end of a shell tool's output; earlier lines are the command's own, whatever they look like."""
_SUCCESS = (None, "0", "(none)")
_MAX_TRAILER = 4_096


def read(payload: Payload) -> Event:
    """Return the event that a payload describes."""
    event = event_of(payload, _KINDS, Format.JSONL)
    name = event.name
    if name == "BeforeTool":
        return event._replace(call=_call(payload))
    if name == "AfterTool":
        ended = EndedCall(_call(payload), failure_in(payload))
        return event._replace(ended=(ended,), plan=_plan(ended))
    return event


def reply(event: Event, answer: HookAnswer) -> dict[str, object] | None:
    """Return the answer to Gemini CLI, or None."""
    output: dict[str, object] = {}
    if event.kind == EventKind.BEFORE and (refusal := answer.refusal or answer.question):
        output = {"decision": "deny", "reason": refusal}
    elif answer.context and event.name in _CARRY_CONTEXT:
        special = {"hookEventName": event.name, "additionalContext": answer.context}
        output = {"hookSpecificOutput": special}
    if answer.notice:
        output["systemMessage"] = answer.notice
    return output or None


def failure_in(payload: Payload) -> str | None:
    """Return the reason of a failure that the tool's output shows; None if it shows none."""
    response = mapping(payload, "tool_response")
    error = response.get("error")
    if isinstance(error, dict):
        return text(error, "message") or "failed"
    if error:
        return str(error)[:_MAX_TRAILER]
    if shell_line(text(payload, "tool_name"), payload.get("tool_input")) is None:
        return None  # file content may look like the output of a shell
    trailer = _SHELL_TRAILER.search(text(response, "llmContent")[-_MAX_TRAILER:])
    for key, what in (("signal", "signal"), ("code", "exit code")):
        if trailer and trailer[key] not in _SUCCESS:
            return f"{what} {trailer[key]}"
    return None


def _call(payload: Payload) -> Call:
    return Call(text(payload, "tool_name") or "unknown tool", payload.get("tool_input"))


def _plan(ended: EndedCall) -> tuple[tuple[str, str], ...] | None:
    given = ended.call.arguments
    if ended.call.tool != "write_todos" or ended.failed is not None or not isinstance(given, dict):
        return None
    return plan_in(given, "todos", "description")
