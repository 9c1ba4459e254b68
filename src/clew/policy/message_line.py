"""One-line summary of a conversation message, for all agents.

A message is any JSON value.  Its text is searched for where agents put it: `content`, `text` or
`message`, in blocks or not; tool calls are shown by name.
What looks like a secret is redacted from the line, but not from the stored conversation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from clew.model.session_results import Said
from clew.model.shorten import shorten_line
from clew.policy.redaction.redact import beginning, redact

_MAX_LENGTH = 400
_MAX_READ = 64 << 10
"""Maximum number of characters of a message that are read."""
_MAX_DEPTH = 8
_ROLES = ("role", "type")
_INNER = ("message", "payload")
_TEXTS = ("content", "text", "summary", "output", "thinking", "prompt")


def said(line: bytes) -> Said:
    """Return role and text of one line of a conversation."""
    role, text = whole_message(line)
    return Said(role, _one_line(text))


def whole_message(line: bytes) -> tuple[str, str]:
    """Return the role and the whole text of one line of a conversation; the text is not redacted."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return "", line.decode("utf-8", "replace")
    text = " ".join(_texts(value, 0))
    return _one_line(_role(value))[:40], text or _as_text(value)


def _role(value: object) -> str:
    for inner in _unwrapped(value):
        for key in _ROLES:
            if isinstance(found := inner.get(key), str) and found not in _INNER:
                return found
    return ""


def _unwrapped(value: object) -> Iterator[dict[str, object]]:
    """Yield a message and its envelopes, innermost first."""
    if isinstance(value, dict):
        for key in _INNER:
            if isinstance(inner := value.get(key), dict):
                yield inner
        yield value


def _texts(value: object, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, depth + 1)
    elif isinstance(value, dict):
        if isinstance(value.get("name"), str):
            arguments = value.get("input", value.get("arguments"))
            yield f"{value['name']} {'' if arguments is None else _as_text(arguments)}".strip()
        for key in (*_INNER, *_TEXTS):
            if key in value:
                yield from _texts(value[key], depth + 1)


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _one_line(text: str) -> str:
    """Return the beginning of a text in one line; redacted before it is truncated."""
    return shorten_line(redact(beginning(text, _MAX_READ)), _MAX_LENGTH)
