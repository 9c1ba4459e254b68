"""Session scratch: what a watch remembers between two events of a session.

It is loaded from an untrusted file, so every field is validated.
"""

from __future__ import annotations

from collections.abc import Mapping

from clew.model import quick_json
from clew.model.named_tuple import NamedTuple

_MAX_ITEMS = 50
_MAX_TEXT = 400
_MAX_NEWS = 8_000


class Failure(NamedTuple):
    """A call that failed."""

    call: str
    reason: str
    time_ns: int

    def __str__(self) -> str:
        return f"{self.call}: {self.reason}" if self.reason else self.call


class SessionScratch:
    """The state of one session between two events."""

    __slots__ = ("prompt", "failed", "effects", "here", "top", "resting", "news")

    def __init__(self) -> None:
        self.prompt = ""
        """The last prompt, shortened and without secrets."""
        self.failed: dict[str, Failure] = {}
        """Calls that failed since the last checkpoint, by key."""
        self.effects: dict[str, int] = {}
        """Effects whose call has not ended: the key of the call, and the effect's number."""
        self.here = ""
        """The current checkpoint after the last event."""
        self.top = 0
        """The sequence number of the newest checkpoint by then."""
        self.resting = False
        """Whether the agent has stopped with nothing left running: later changes are the user's."""
        self.news = ""
        """A message for the model that no event could deliver yet."""

    def fields(self) -> tuple[object, ...]:
        """Return all fields, for comparison."""
        failed, effects = tuple(self.failed.items()), tuple(self.effects.items())
        return self.prompt, failed, effects, self.here, self.top, self.resting, self.news

    def take_news(self) -> str:
        """Return and clear the message for the model."""
        news, self.news = self.news, ""
        return news


def load(content: bytes) -> SessionScratch:
    """Return the stored state; an empty one if it cannot be parsed."""
    scratch = SessionScratch()
    try:
        value = quick_json.loads(content) if content else {}
    except (ValueError, RecursionError):
        return scratch
    if not isinstance(value, dict):
        return scratch
    scratch.prompt = _checked_text(value.get("prompt"))
    scratch.failed = {
        key: _checked_failure(one) for key, one in _checked_items(value.get("failed"))
    }
    scratch.effects = {
        key: n for key, one in _checked_items(value.get("effects")) if (n := _checked_number(one))
    }
    scratch.here = _checked_text(value.get("here"))
    scratch.top = _checked_number(value.get("top"))
    scratch.resting = value.get("resting") is True
    scratch.news = _checked_text(value.get("news"), _MAX_NEWS)
    return scratch


def dump(scratch: SessionScratch) -> bytes:
    """Return the state as bytes."""
    import json  # most hooks do not change the state

    return json.dumps(
        {
            "prompt": scratch.prompt[:_MAX_TEXT],
            "failed": dict(list(scratch.failed.items())[-_MAX_ITEMS:]),
            "effects": dict(list(scratch.effects.items())[-_MAX_ITEMS:]),
            "here": scratch.here,
            "top": scratch.top,
            "resting": scratch.resting,
            "news": scratch.news[:_MAX_NEWS],
        }
    ).encode()


def _checked_items(value: object) -> list[tuple[str, object]]:
    if not isinstance(value, Mapping):
        return []
    return [(str(key), item) for key, item in list(value.items())[:_MAX_ITEMS]]


def _checked_failure(value: object) -> Failure:
    if not isinstance(value, list) or len(value) != 3:
        return Failure(_checked_text(value), "", 0)  # written by an older version
    call, reason, time_ns = value
    return Failure(_checked_text(call), _checked_text(reason), _checked_number(time_ns))


def _checked_number(value: object) -> int:
    """Return a positive 64-bit integer; 0 for anything else."""
    return value if type(value) is int and 0 < value < 1 << 63 else 0


def _checked_text(value: object, longest: int = _MAX_TEXT) -> str:
    return value[:longest] if isinstance(value, str) else ""
