"""What clew must know of an agent's transcripts, whoever the agent is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from clew.model import quick_json
from clew.model.named_tuple import NamedTuple

LARGE = 8 << 20
"""Lines above this many bytes are not taken apart: what is needed is replaced in their bytes."""

Line = dict[str, object]


class NotATranscript(ValueError):
    """What should be an agent's transcript has no line of one in it."""


class Renewal(NamedTuple):
    """How a transcript becomes another session's."""

    session: str
    """The new id."""
    cwd: str | None = None
    """Where that session works; None for the same directory."""
    timestamp: str = ""
    """What a line that has to be added says of its time."""


class TranscriptTouch(NamedTuple):
    """The files that one line says were read and changed, as it spells them."""

    read: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


class Dialect(NamedTuple):
    """One agent's way."""

    renewed: Callable[[Iterable[bytes], Renewal], Iterator[bytes]]
    """Yields the lines of the new session, each with its newline; `NotATranscript` if there are
    none.  What was cut off in the middle is left out, and what it left open is closed."""
    place: Callable[[bytes, str, str | None, str], bytes]
    """Returns where the new transcript goes: beside the old one, or where the agent would look for
    one of another directory.  Takes the old path, the id, that directory and the time."""
    command: Callable[[str], str]
    """Returns what goes on with a session."""
    touched: Callable[[bytes], TranscriptTouch]


def parsed(line: bytes) -> Line | None:
    """Return the JSON object in a line, or None if there is none."""
    try:
        found = quick_json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def encoded(value: Line) -> bytes:
    """Return an object as a line; what is no valid text in it stays as it was escaped."""
    import json  # noqa: PLC0415  hooks only read

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:  # half a character
        return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def blocks(value: object) -> Iterator[Line]:
    """Yield the objects in a list."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield item


def text_at(value: object, key: str) -> str:
    """Return a text in an object, or nothing."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""
