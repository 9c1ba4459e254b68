"""Codex's hooks: Claude Code's names, with less told.

* `PostToolUse` has no exit code, and a command that failed in silence looks like one that worked:
  how it ended is in the rollout, which Codex writes before it calls us.
* `update_plan` calls no hook; the plan is in the rollout too.
* A patch that does not fit, and a command that still runs when its call ends, call no hook after.
* An answer with a field that Codex does not know is refused as a whole.
* It knows no question to a person: what would be asked is refused.
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
_LONGEST_LOOK = 4_096


def read(payload: Payload) -> Event:
    """Return what happened."""
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
    """Return what Codex is told, or None for nothing; at the end of a session it takes no words."""
    if event.name == "SessionEnd":
        return None
    return reply_to(event, answer, _CARRY_CONTEXT)


def _call(payload: Payload) -> Call:
    tool = text(payload, "tool_name") or "unknown tool"
    arguments = payload.get("tool_input")
    if tool == "apply_patch":
        patched = _PATCHED.search(text(mapping(payload, "tool_input"), "command")[:_LONGEST_LOOK])
        if patched:
            arguments = {**mapping(payload, "tool_input"), "path": patched[1]}
    return Call(tool, arguments, text(payload, "tool_use_id"))


def _ended(payload: Payload, tail: list[bytes] | None) -> tuple[EndedCall, ...]:
    call = _call(payload)
    said = _EXIT.match(text(payload, "tool_response")) if call.tool == "apply_patch" else None
    code = int(said[1]) if said else rollout.exit_code(tail or [], call.id)
    return (EndedCall(call, f"exit code {code}" if code else None),)
