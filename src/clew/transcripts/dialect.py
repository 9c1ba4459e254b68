"""Transcript dialect: the interface of an agent's transcript format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from clew.model import quick_json
from clew.model.named_tuple import NamedTuple

LARGE = 8 << 20
"""Lines above this many bytes are not parsed: ids are replaced in the raw bytes."""

Line = dict[str, object]


class NotATranscript(ValueError):
    """A file without a line of an agent's transcript."""


class Renewal(NamedTuple):
    """The parameters of rewriting a transcript as a new session."""

    session: str
    """The new id."""
    cwd: str | None = None
    """The working directory of that session; None for the same directory."""
    timestamp: str = ""
    """The time of added lines."""


class TranscriptTouch(NamedTuple):
    """The files that one line reads and changes, as spelled there."""

    read: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


class Dialect(NamedTuple):
    """One agent's transcript format."""

    renewed: Callable[[Iterable[bytes], Renewal], Iterator[bytes]]
    """Yields the lines of the new session, each with its newline; `NotATranscript` if there are
    none.  Truncated lines are dropped, and open calls get a result."""
    place: Callable[[bytes, str, str | None, str], bytes]
    """Returns the path of the new transcript: beside the old one, or where the agent expects those
    of another directory.  Takes the old path, the id, that directory and the time."""
    command: Callable[[str], str]
    """Returns the command that resumes a session."""
    touched: Callable[[bytes], TranscriptTouch]


def parsed(line: bytes) -> Line | None:
    """Return the JSON object in a line, or None if there is none."""
    try:
        found = quick_json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def encoded(value: Line) -> bytes:
    """Return an object as a JSON line; if a text is not valid Unicode, everything is escaped."""
    import json  # noqa: PLC0415  hooks only read

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate
        return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def blocks(value: object) -> Iterator[Line]:
    """Yield the objects in a list."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield item


def text_at(value: object, key: str) -> str:
    """Return the text at a key of an object, or an empty one."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""
