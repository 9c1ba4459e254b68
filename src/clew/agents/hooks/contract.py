"""The contract of hooks that Claude Code began and others took over: fields, and answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from clew.agents.hooks.events import Event, EventKind, HookAnswer, Payload, path, text


def event_of(payload: Payload, kinds: Mapping[str, str], form: str) -> Event:
    """Return what the fields say that every event has; `kinds` are the names of events."""
    name = text(payload, "hook_event_name")
    return Event(
        kinds.get(name, EventKind.OTHER),
        name,
        session=text(payload, "session_id"),
        cwd=path(payload, "cwd"),
        transcript=transcript_of(payload),
        format=form,
        prompt=text(payload, "prompt"),
    )


def transcript_of(payload: Payload) -> str | None:
    """Return where the conversation is kept, if it is said and one JSON value a line."""
    said = path(payload, "transcript_path")
    return said if said.startswith("/") and said.endswith(".jsonl") and "\0" not in said else None


def reply_to(
    event: Event, answer: HookAnswer, carry_context: Collection[str], *, asks: bool = False
) -> dict[str, object] | None:
    """Return what an agent is told, or None for nothing.

    `carry_context` are the events that bring words to the model.  Where the agent cannot ask a
    person, what would be asked is refused.
    """
    said: dict[str, object] = {}
    special: dict[str, object] = {}
    if event.kind == EventKind.BEFORE and (reason := answer.refusal or answer.question):
        decision = "ask" if asks and not answer.refusal else "deny"
        special = {"permissionDecision": decision, "permissionDecisionReason": reason}
    elif answer.context and event.name in carry_context:
        special = {"additionalContext": answer.context}
    if special:
        said["hookSpecificOutput"] = {"hookEventName": event.name, **special}
    if answer.notice:
        said["systemMessage"] = answer.notice
    return said or None
