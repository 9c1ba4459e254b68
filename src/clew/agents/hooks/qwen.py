"""qwen-code's hooks: Claude Code's names, with what Gemini CLI says in them.

* `UserPromptSubmit` comes again after every call, without words: nobody said anything then.
* A command that fails reaches `PostToolUse`, with its exit code among the words for the model;
  a tool that fails reaches `PostToolUseFailure`, and nothing comes after that.
* `SessionStart` does not come where nobody is at the terminal.
* An answer that asks is taken for a refusal that does not say so; what would be asked is refused.
"""

from __future__ import annotations

from clew.agents.calls import Call, Ended
from clew.agents.hooks.events import Answer, Event, Kind, Payload, text
from clew.agents.hooks.gemini import failure_in, transcript_of
from clew.agents.hooks.todo import plan_in
from clew.model.session import Format

NAME = "qwen"

_KINDS = {
    "SessionStart": Kind.STARTED,
    "UserPromptSubmit": Kind.PROMPTED,
    "PreToolUse": Kind.BEFORE,
    "PostToolUse": Kind.AFTER,
    "PostToolUseFailure": Kind.AFTER,
    "SubagentStop": Kind.AFTER,
    "Stop": Kind.STOPPED,
    "SessionEnd": Kind.ENDED,
}
_CARRY_CONTEXT = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure")


def read(payload: Payload) -> Event:
    """Return what happened."""
    name = text(payload, "hook_event_name")
    prompt = text(payload, "prompt")
    kind = _KINDS.get(name, Kind.OTHER)
    if kind == Kind.PROMPTED and not prompt.strip():
        kind = Kind.OTHER
    event = Event(
        kind,
        name,
        session=text(payload, "session_id"),
        cwd=text(payload, "cwd"),
        transcript=transcript_of(payload),
        format=Format.JSONL,
        prompt=prompt,
    )
    if name == "PreToolUse":
        return event._replace(call=_call(payload))
    if name == "PostToolUseFailure":
        return event._replace(ended=(Ended(_call(payload), text(payload, "error") or "failed"),))
    if name == "PostToolUse":
        ended = Ended(_call(payload), failure_in(payload))
        return event._replace(ended=(ended,), plan=_plan(ended))
    return event


def reply(event: Event, answer: Answer) -> dict[str, object] | None:
    """Return what qwen-code is told, or None for nothing."""
    said: dict[str, object] = {}
    special: dict[str, object] = {}
    if event.kind == Kind.BEFORE and (refusal := answer.refusal or answer.question):
        special = {"permissionDecision": "deny", "permissionDecisionReason": refusal}
    elif answer.context and event.name in _CARRY_CONTEXT:
        special = {"additionalContext": answer.context}
    if special:
        said["hookSpecificOutput"] = {"hookEventName": event.name, **special}
    if answer.notice:
        said["systemMessage"] = answer.notice
    return said or None


def _call(payload: Payload) -> Call:
    identifier = text(payload, "tool_use_id") or text(payload, "tool_call_id")
    return Call(text(payload, "tool_name") or "unknown tool", payload.get("tool_input"), identifier)


def _plan(ended: Ended) -> tuple[tuple[str, str], ...] | None:
    given = ended.call.arguments
    if ended.call.tool != "todo_write" or ended.failed is not None or not isinstance(given, dict):
        return None
    return plan_in(given, "todos", "content")
