"""Codex's hooks: Claude Code's names, with less information.

* `PostToolUse` has no exit code, and a command that failed silently looks like a successful one:
  the exit code is in the rollout, which Codex writes before it runs the hook.
* `update_plan` runs no hook; the plan is in the rollout too.
* No hook runs after a patch that does not apply, or a command that outlives its call.
* Codex rejects the whole answer if it contains an unknown field.
* It cannot ask the user: a question becomes a refusal.
"""

from __future__ import annotations

import re

from clew.agents.calls import Call, EndedCall
from clew.agents.hooks import rollout
from clew.agents.hooks.contract import event_of, reply_to
from clew.agents.hooks.events import Event, EventKind, HookAnswer, Payload, mapping, text
from clew.model.session import Format

NAME = "codex"

_KINDS = {
    "SessionStart": EventKind.STARTED,
    "UserPromptSubmit": EventKind.PROMPTED,
    "PreToolUse": EventKind.BEFORE,
    "PostToolUse": EventKind.AFTER,
    "SubagentStop": EventKind.AFTER,
    "Stop": EventKind.STOPPED,
    "SessionEnd": EventKind.ENDED,
}
_CARRY_CONTEXT = ("SessionStart", "UserPromptSubmit", "PostToolUse")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_EXIT = re.compile(r"Exit code: (-?\d{1,10})\b")
_MAX_PATCH_HEAD = 4_096


def read(payload: Payload) -> Event:
    """Return the event that a payload describes."""
    event = event_of(payload, _KINDS, Format.CODEX)
    name, transcript = event.name, event.transcript
    if name == "PreToolUse":
        return event._replace(call=_call(payload))
    if name not in ("PostToolUse", "Stop") or transcript is None:
        return event._replace(ended=_ended(payload, None) if name == "PostToolUse" else ())
    tail = rollout.tail_of(transcript)
    event = event._replace(plan=rollout.last_plan(tail))
    return event._replace(ended=_ended(payload, tail)) if name == "PostToolUse" else event


def reply(event: Event, answer: HookAnswer) -> dict[str, object] | None:
    """Return the answer to Codex, or None; at the end of a session it accepts none."""
    if event.name == "SessionEnd":
        return None
    return reply_to(event, answer, _CARRY_CONTEXT)


def _call(payload: Payload) -> Call:
    tool = text(payload, "tool_name") or "unknown tool"
    arguments = payload.get("tool_input")
    if tool == "apply_patch":
        patched = _PATCHED.search(text(mapping(payload, "tool_input"), "command")[:_MAX_PATCH_HEAD])
        if patched:
            arguments = {**mapping(payload, "tool_input"), "path": patched[1]}
    return Call(tool, arguments, text(payload, "tool_use_id"))


def _ended(payload: Payload, tail: list[bytes] | None) -> tuple[EndedCall, ...]:
    call = _call(payload)
    reported = _EXIT.match(text(payload, "tool_response")) if call.tool == "apply_patch" else None
    code = int(reported[1]) if reported else rollout.exit_code(tail or [], call.id)
    return (EndedCall(call, f"exit code {code}" if code else None),)
