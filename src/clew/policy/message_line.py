"""One message of a conversation in one line, whatever agent wrote it.

A message is any JSON value.  What it says is looked for where agents put it: `content`, `text` or
`message`, in blocks or not, and the calls of tools by their name.
What looks like a secret is not in the line; the stored conversation keeps it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from clew.model.session_results import Said
from clew.policy.redaction.redact import beginning, redact

_LONGEST = 400
_READ = 64 << 10
"""Of a message that says more, so much is looked at."""
_DEEPEST = 8
_ROLES = ("role", "type")
_INNER = ("message", "payload")
_TEXTS = ("content", "text", "summary", "output", "thinking", "prompt")


def said(line: bytes) -> Said:
    """Return who says what in one line of a conversation."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return Said("", _one_line(line.decode("utf-8", "replace")))
    text = " ".join(_texts(value, 0))
    return Said(_one_line(_role(value))[:40], _one_line(text or _bare(value)))


def _role(value: object) -> str:
    for inner in _unwrapped(value):
        for key in _ROLES:
            if isinstance(found := inner.get(key), str) and found not in _INNER:
                return found
    return ""


def _unwrapped(value: object) -> Iterator[dict[str, object]]:
    """Yield the innermost of a message and its envelopes first."""
    if isinstance(value, dict):
        for key in _INNER:
            if isinstance(inner := value.get(key), dict):
                yield inner
        yield value


def _texts(value: object, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, depth + 1)
    elif isinstance(value, dict):
        if isinstance(value.get("name"), str):
            arguments = value.get("input", value.get("arguments"))
            yield f"{value['name']} {'' if arguments is None else _bare(arguments)}".strip()
        for key in (*_INNER, *_TEXTS):
            if key in value:
                yield from _texts(value[key], depth + 1)


def _bare(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _one_line(text: str) -> str:
    """Return the beginning of a text in one line; redacted before it is cut."""
    clean = " ".join(redact(beginning(text, _READ)).split())
    return clean if len(clean) <= _LONGEST else clean[: _LONGEST - 1] + "…"
