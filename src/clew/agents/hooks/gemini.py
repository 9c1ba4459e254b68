"""Gemini CLI's hooks: names of its own.

* Calls have no id, and no exit code of their own: a shell's is a line of what the model reads.
* `PreCompress` comes with every turn of the loop and `AfterModel` with every piece of an answer;
  neither is anything to us.
* The same output tells that a tool failed: `error`, where the tool itself did.
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
_ENDING = re.compile(
    r"(?:\nExit Code: (?P<code>[^\n]{1,20}))?"
    r"(?:\nSignal: (?P<signal>[^\n]{1,20}))?"
    r"(?:\nBackground PIDs: [^\n]*)?"
    r"\nProcess Group PGID: [^\n]{1,20}\s*(?:</untrusted_context>)?\s*\Z"
)
"""How what a shell gave back ends; earlier lines are the command's own, whatever they look like."""
_NO_FAILURE = (None, "0", "(none)")
_LONGEST_END = 4_096


def read(payload: Payload) -> Event:
    """Return what happened."""
    event = event_of(payload, _KINDS, Format.JSONL)
    name = event.name
    if name == "BeforeTool":
        return event._replace(call=_call(payload))
    if name == "AfterTool":
        ended = EndedCall(_call(payload), failure_in(payload))
        return event._replace(ended=(ended,), plan=_plan(ended))
    return event


def reply(event: Event, answer: HookAnswer) -> dict[str, object] | None:
    """Return what Gemini CLI is told, or None for nothing."""
    said: dict[str, object] = {}
    if event.kind == EventKind.BEFORE and (refusal := answer.refusal or answer.question):
        said = {"decision": "deny", "reason": refusal}
    elif answer.context and event.name in _CARRY_CONTEXT:
        special = {"hookEventName": event.name, "additionalContext": answer.context}
        said = {"hookSpecificOutput": special}
    if answer.notice:
        said["systemMessage"] = answer.notice
    return said or None


def failure_in(payload: Payload) -> str | None:
    """Return why a call failed, as far as what it gave back says; None if it does not."""
    response = mapping(payload, "tool_response")
    error = response.get("error")
    if isinstance(error, dict):
        return text(error, "message") or "failed"
    if error:
        return str(error)[:_LONGEST_END]
    if shell_line(text(payload, "tool_name"), payload.get("tool_input")) is None:
        return None  # a file may hold anything, also lines that look like those of a shell
    ending = _ENDING.search(text(response, "llmContent")[-_LONGEST_END:])
    for key, what in (("signal", "signal"), ("code", "exit code")):
        if ending and ending[key] not in _NO_FAILURE:
            return f"{what} {ending[key]}"
    return None


def _call(payload: Payload) -> Call:
    return Call(text(payload, "tool_name") or "unknown tool", payload.get("tool_input"))


def _plan(ended: EndedCall) -> tuple[tuple[str, str], ...] | None:
    given = ended.call.arguments
    if ended.call.tool != "write_todos" or ended.failed is not None or not isinstance(given, dict):
        return None
    return plan_in(given, "todos", "description")
