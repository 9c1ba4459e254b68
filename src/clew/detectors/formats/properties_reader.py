"""Properties reader: keys and values of Java's `.properties` files."""

from __future__ import annotations

import re

from clew.detectors.formats.values import NodeCounter, Plain, Value

_SEPARATOR = re.compile(r"((?:[^\\=:\s]|\\.)*+)[ \t\f]*+[=:]?+[ \t\f]*+", re.S)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def read_properties(text: str) -> dict[str, Value]:
    """Return the values by key; the last of several values of a key counts, as in Java."""
    found: dict[str, Value] = {}
    counter = NodeCounter()
    for line in _logical_lines(text):
        match = _SEPARATOR.match(line)
        counter.count()
        end = match.end() if match else len(line)
        found[_unescaped(match[1] if match else line)] = Plain(_unescaped(line[end:]))
    return found


def _logical_lines(text: str) -> list[str]:
    """Return the lines without comments, those that end in a backslash joined with the next."""
    found: list[str] = []
    parts: list[str] = []
    for line in re.split(r"\r\n|\r|\n", text):
        line = line.lstrip(" \t\f")
        if not parts and (not line or line[0] in "#!"):
            continue
        goes_on = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        parts.append(line[:-1] if goes_on else line)
        if not goes_on:
            found.append("".join(parts))
            parts = []
    return [*found, "".join(parts)] if any(parts) else found


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(
        lambda found: chr(int(found[1], 16)) if found[1] else _CONTROLS.get(found[2], found[2]),
        text,
    )
