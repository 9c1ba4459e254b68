"""Lenient JSON reader: accepts comments and trailing commas.

`read_json` returns an object or None and never raises: a file that is not JSON has no keys.
A file that a program can read and this reader cannot is a risk in itself: callers report None.
"""

from __future__ import annotations

import json
import re

_LIMIT = 16 << 20
_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*+"?+|(?P<comment>//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)|(?P<blank>\s++)|[,\]}]'
    r'|/(?![/*])|[^"/,\]}\s]++',
    re.S,
)


def read_json(content: bytes | None) -> dict[str, object] | None:
    """Return the object in a file; an absent or empty file gives an empty one."""
    if content is None or not content.strip():
        return {}
    if len(content) > _LIMIT:
        return None
    text = content.decode("utf-8-sig", "replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # raised for malformed or hostile input
        found = _read_loosely(text)
    return found if isinstance(found, dict) else None


def as_object(value: object) -> dict[str, object]:
    """Return a value that should be an object, or an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """Return a value that should be a list, or an empty one."""
    return value if isinstance(value, list) else []


def strict_json(text: str) -> str:
    """Return JSON without comments and trailing commas; texts in quotes stay as they are."""
    parts: list[str] = []
    at = 0
    comma = -1
    """The place in `parts` of a comma after which only blanks followed."""
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:  # a comment without an end
            break
        at = found.end()
        piece = found[0]
        if found.lastgroup == "comment":
            continue
        if piece[0] in "]}" and comma >= 0:
            parts[comma] = ""
        if found.lastgroup != "blank":
            comma = len(parts) if piece == "," else -1
        parts.append(piece)
    return "".join(parts)


def _read_loosely(text: str) -> object:
    try:
        return json.loads(strict_json(text))
    except (ValueError, RecursionError):
        return None
