"""opencode's hooks: events that our plugin forwards.

Its conversations are in its own database and not in a file, so checkpoints do not contain them.
The exit code of a command is reported; a tool that throws is not.
"""

from __future__ import annotations

from clew.agents.calls import Call, EndedCall
from clew.agents.hooks.events import Event, EventKind, HookAnswer, Payload, path, text
from clew.agents.hooks.todo import plan_in

NAME = "opencode"

_KINDS = {
    "session.created": EventKind.STARTED,
    "chat.message": EventKind.PROMPTED,
    "tool.execute.before": EventKind.BEFORE,
    "tool.execute.after": EventKind.AFTER,
    "session.idle": EventKind.STOPPED,
    "session.deleted": EventKind.ENDED,
}
_CARRY_CONTEXT = ("session.created", "chat.message", "tool.execute.after")


def read(payload: Payload) -> Event:
    """Return the event that a payload describes."""
    name = text(payload, "hook_event_name")
    event = Event(
        _KINDS.get(name, EventKind.OTHER),
        name,
        session=text(payload, "session_id"),
        cwd=path(payload, "cwd"),
        prompt=_unquoted(text(payload, "prompt").strip()),
    )
    if name == "tool.execute.before":
        return event._replace(call=_call(payload))
    if name == "tool.execute.after":
        ended = EndedCall(_call(payload), _failure(payload))
        return event._replace(ended=(ended,), plan=_plan(ended))
    return event


def reply(event: Event, answer: HookAnswer) -> dict[str, object] | None:
    """Return the answer to our plugin, or None."""
    if event.kind == EventKind.BEFORE and (refusal := answer.refusal or answer.question):
        return {"deny": refusal}
    if answer.context and event.name in _CARRY_CONTEXT:
        return {"context": answer.context}
    return None


def _call(payload: Payload) -> Call:
    tool = text(payload, "tool_name") or "unknown tool"
    return Call(tool, payload.get("tool_input"), text(payload, "tool_call_id"))


def _failure(payload: Payload) -> str | None:
    code = payload.get("exit")
    if isinstance(code, bool) or not isinstance(code, int) or code == 0:
        return None
    return f"exit code {code}"


def _plan(ended: EndedCall) -> tuple[tuple[str, str], ...] | None:
    given = ended.call.arguments
    if ended.call.tool != "todowrite" or not isinstance(given, dict):
        return None
    return plan_in(given, "todos", "content")


def _unquoted(prompt: str) -> str:
    """Return a prompt without the quotes that `opencode run` adds around text with spaces."""
    inner = prompt[1:-1]
    return inner if len(prompt) > 2 and prompt == f'"{inner}"' and '"' not in inner else prompt
