"""Hook protocol of Claude Code, which other agents adopted: fields and answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from clew.agents.hooks.events import Event, EventKind, HookAnswer, Payload, path, text


def event_of(payload: Payload, kinds: Mapping[str, str], format_name: str) -> Event:
    """Return an event from the fields that all have; `kinds` maps the names of events."""
    name = text(payload, "hook_event_name")
    return Event(
        kinds.get(name, EventKind.OTHER),
        name,
        session=text(payload, "session_id"),
        cwd=path(payload, "cwd"),
        transcript=transcript_of(payload),
        format=format_name,
        prompt=text(payload, "prompt"),
    )


def transcript_of(payload: Payload) -> str | None:
    """Return the path of the transcript, if given and a JSON Lines file."""
    found = path(payload, "transcript_path")
    return (
        found if found.startswith("/") and found.endswith(".jsonl") and "\0" not in found else None
    )


def reply_to(
    event: Event, answer: HookAnswer, carry_context: Collection[str], *, asks: bool = False
) -> dict[str, object] | None:
    """Return the answer to an agent, or None.

    `carry_context` are the events that can pass a message to the model.  If the agent cannot ask
    the user, a question becomes a refusal.
    """
    output: dict[str, object] = {}
    special: dict[str, object] = {}
    if event.kind == EventKind.BEFORE and (reason := answer.refusal or answer.question):
        decision = "ask" if asks and not answer.refusal else "deny"
        special = {"permissionDecision": decision, "permissionDecisionReason": reason}
    elif answer.context and event.name in carry_context:
        special = {"additionalContext": answer.context}
    if special:
        output["hookSpecificOutput"] = {"hookEventName": event.name, **special}
    if answer.notice:
        output["systemMessage"] = answer.notice
    return output or None
