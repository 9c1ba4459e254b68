"""What an agent's hook tells, whoever the agent is, and what it is answered."""

from __future__ import annotations

from collections.abc import Mapping

from clew.agents.calls import Call, EndedCall
from clew.filenames import from_utf8
from clew.model.named_tuple import NamedTuple

Payload = Mapping[str, object]
"""What came in: an object, and nothing in it is certain."""


class EventKind:
    """What happened."""

    STARTED = "started"
    PROMPTED = "prompted"
    BEFORE = "before"
    FAILED = "failed"
    """A call failed, and its batch will be told of."""
    AFTER = "after"
    STOPPED = "stopped"
    ENDED = "ended"
    """The session is over."""
    OTHER = "other"
    """Nothing for us, or nothing that we know."""


class TaskNews(NamedTuple):
    """What an agent's own list says of one task."""

    number: int
    title: str = ""
    status: str = ""


class Event(NamedTuple):
    """One thing that happened."""

    kind: str
    name: str = ""
    """As the agent calls it."""
    session: str = ""
    cwd: str = ""
    transcript: str | None = None
    format: str | None = None
    """Of the transcript, one of `Format`."""
    prompt: str = ""
    call: Call | None = None
    ended: tuple[EndedCall, ...] = ()
    background: int = 0
    """How many agents still run although this one stopped."""
    plan: tuple[tuple[str, str], ...] | None = None
    """The agent's whole list, where it was told: title and `TaskStatus`."""
    tasks: tuple[TaskNews, ...] = ()
    """Or only what changed in it."""
    results: str | None = None
    """Where the results will soon be written down, if a batch is told of before that."""
    can_ask: bool = False
    """Whether the agent can put a question to a person before it goes on."""


class HookAnswer(NamedTuple):
    """What the agent is told; empty is nothing."""

    context: str = ""
    """Words for its model."""
    refusal: str = ""
    """Why a call must not run."""
    question: str = ""
    """What a person must say yes to before a call runs."""
    notice: str = ""
    """Words for the person who watches."""


NOTHING = HookAnswer()


def text(payload: Payload, key: str) -> str:
    """Return a field that should be text; empty where it is not there, or something else."""
    value = payload.get(key)
    return value if isinstance(value, str) else ""


def path(payload: Payload, key: str) -> str:
    """Return a field that should name a file: UTF-8 on disk, whatever the locale."""
    try:
        return from_utf8(text(payload, key))
    except UnicodeEncodeError:  # half a character: no file is called so
        return text(payload, key)


def mapping(payload: Payload, key: str) -> Payload:
    """Return a field that should be an object."""
    value = payload.get(key)
    return value if isinstance(value, Mapping) else {}


def items(payload: Payload, key: str) -> list[Payload]:
    """Return the objects in a field that should be a list of them."""
    value = payload.get(key)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
