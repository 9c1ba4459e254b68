"""Lenient JSON reader: accepts comments and trailing commas.

`read_json` returns an object or None and never raises: a file that is not JSON has no keys.
A file that a program can read and this reader cannot is a risk in itself: callers report None.
"""

from __future__ import annotations

import json
import re

_LIMIT = 16 << 20
_INTERESTING = re.compile(r'["/]')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?+', re.S)
_LAST_COMMA = re.compile(r",(\s*+[}\]])")


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
    """Return JSON without comments and trailing commas."""
    return _LAST_COMMA.sub(r"\1", _without_comments(text))


def _read_loosely(text: str) -> object:
    try:
        return json.loads(strict_json(text))
    except (ValueError, RecursionError):
        return None


def _without_comments(text: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == '"':
            string = _STRING.match(text, at)
            end = string.end() if string else len(text)
            parts.append(text[at:end])
        elif text.startswith("//", at):
            end = text.find("\n", at)
        elif text.startswith("/*", at):
            end = text.find("*/", at) + 2
        else:
            found = _INTERESTING.search(text, at + 1)
            end = found.start() if found else len(text)
            parts.append(text[at:end])
        if end <= at:  # an unterminated comment
            break
        at = end
    return "".join(parts)
