"""The desk: what a watch remembers between two events of a session.

It comes back from a file that anybody may have written, so every field is looked at first.
"""

from __future__ import annotations

from collections.abc import Mapping

from clew.model import quick_json

_MOST = 50
_LONGEST = 400
_LONGEST_NEWS = 8_000


class SessionScratch:
    """One session's notes."""

    __slots__ = ("prompt", "failed", "effects", "here", "top", "resting", "news")

    def __init__(self) -> None:
        self.prompt = ""
        """What a person last asked for, shortened and without secrets."""
        self.failed: dict[str, str] = {}
        """Calls that failed since the last checkpoint: what the agent calls them, and why."""
        self.effects: dict[str, int] = {}
        """Acts outside whose call has not ended: the call, and the effect's number."""
        self.here = ""
        """Where the workspace was after the last event."""
        self.top = 0
        """The sequence of the newest checkpoint by then."""
        self.resting = False
        """Whether the agent had stopped, with nothing left running: what changes now is a person's."""
        self.news = ""
        """What the model must know, and no event could tell it yet."""

    def notes(self) -> tuple[object, ...]:
        """Return all that is on it, to be compared with what was."""
        failed, effects = tuple(self.failed.items()), tuple(self.effects.items())
        return self.prompt, failed, effects, self.here, self.top, self.resting, self.news

    def take_news(self) -> str:
        """Return what the model must know, for an event that can tell it."""
        news, self.news = self.news, ""
        return news


def load(content: bytes) -> SessionScratch:
    """Return the desk that was left; an empty one where it cannot be read."""
    desk = SessionScratch()
    try:
        value = quick_json.loads(content) if content else {}
    except (ValueError, RecursionError):
        return desk
    if not isinstance(value, dict):
        return desk
    desk.prompt = _text(value.get("prompt"))
    desk.failed = {key: _text(why) for key, why in _items(value.get("failed"))}
    desk.effects = {key: n for key, one in _items(value.get("effects")) if (n := _number(one))}
    desk.here = _text(value.get("here"))
    desk.top = _number(value.get("top"))
    desk.resting = value.get("resting") is True
    desk.news = _text(value.get("news"), _LONGEST_NEWS)
    return desk


def dump(desk: SessionScratch) -> bytes:
    """Return a desk as it is kept."""
    import json  # most hooks leave the desk as it was

    return json.dumps(
        {
            "prompt": desk.prompt[:_LONGEST],
            "failed": dict(list(desk.failed.items())[-_MOST:]),
            "effects": dict(list(desk.effects.items())[-_MOST:]),
            "here": desk.here,
            "top": desk.top,
            "resting": desk.resting,
            "news": desk.news[:_LONGEST_NEWS],
        }
    ).encode()


def _items(value: object) -> list[tuple[str, object]]:
    if not isinstance(value, Mapping):
        return []
    return [(str(key), item) for key, item in list(value.items())[:_MOST]]


def _number(value: object) -> int:
    """Return a number from 1 that a database can hold; 0 where it is none."""
    return value if type(value) is int and 0 < value < 1 << 63 else 0


def _text(value: object, longest: int = _LONGEST) -> str:
    return value[:longest] if isinstance(value, str) else ""
