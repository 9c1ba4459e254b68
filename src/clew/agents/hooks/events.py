"""Hook events: what agents report, in a common form, and the answers to them."""

from __future__ import annotations

from collections.abc import Mapping

from clew.agents.calls import Call, EndedCall
from clew.filenames import from_utf8
from clew.model.named_tuple import NamedTuple

Payload = Mapping[str, object]
"""The JSON object that a hook receives; its fields are untrusted."""


class EventKind:
    """Kinds of events."""

    STARTED = "started"
    PROMPTED = "prompted"
    BEFORE = "before"
    FAILED = "failed"
    """A call failed; its batch is reported later."""
    AFTER = "after"
    STOPPED = "stopped"
    ENDED = "ended"
    """The session is over."""
    OTHER = "other"
    """Irrelevant or unknown."""


class TaskUpdate(NamedTuple):
    """A change of one task in an agent's own list."""

    number: int
    title: str = ""
    status: str = ""


class Event(NamedTuple):
    """One event of an agent."""

    kind: str
    name: str = ""
    """The agent's name of the event."""
    session: str = ""
    cwd: str = ""
    transcript: str | None = None
    format: str | None = None
    """The format of the transcript, one of `Format`."""
    prompt: str = ""
    call: Call | None = None
    ended: tuple[EndedCall, ...] = ()
    background: int = 0
    """Number of agents that still run after this one stopped."""
    plan: tuple[tuple[str, str], ...] | None = None
    """The agent's whole task list, if reported: title and `TaskStatus`."""
    tasks: tuple[TaskUpdate, ...] = ()
    """Changes of single tasks, if only these are reported."""
    results: str | None = None
    """The transcript in which the results will appear, if the batch is reported before that."""
    can_ask: bool = False
    """Whether the agent can ask the user before it continues."""


class HookAnswer(NamedTuple):
    """The answer to an agent; empty fields are not sent."""

    context: str = ""
    """A message for the model."""
    refusal: str = ""
    """Why a call must not run."""
    question: str = ""
    """What the user must approve before a call runs."""
    notice: str = ""
    """A message for the user."""


NOTHING = HookAnswer()


def text(payload: Payload, key: str) -> str:
    """Return a text field; empty if it is missing or of another type."""
    value = payload.get(key)
    return value if isinstance(value, str) else ""


def path(payload: Payload, key: str) -> str:
    """Return a path field: UTF-8 on disk, whatever the locale."""
    try:
        return from_utf8(text(payload, key))
    except UnicodeEncodeError:  # half a character: no file has such a name
        return text(payload, key)


def mapping(payload: Payload, key: str) -> Payload:
    """Return an object field; empty if it is missing or of another type."""
    value = payload.get(key)
    return value if isinstance(value, Mapping) else {}


def items(payload: Payload, key: str) -> list[Payload]:
    """Return the objects in a list field."""
    value = payload.get(key)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
