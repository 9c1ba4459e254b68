"""TOML editing: set or remove one value in TOML text, preserving every other byte.

Only the entry's own line is touched.  Lines are recognised one by one, so that an entry that spans
several lines, or looks like one inside a long string, may be misread; therefore the result is parsed
and compared, and `CannotEdit` is raised if it is not the old content with that one change.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import NamedTuple

_HEADER = re.compile(r"\s*\[+\s*([^\[\]#]+?)\s*\]+\s*(?:#.*)?$")
_ENTRY = re.compile(
    r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=\s*"""
)
_VALUE = re.compile(r""""(?:[^"\\]|\\.)*"|'[^']*'|[^\s#]+""")


class CannotEdit(ValueError):
    """The text is laid out in a way that this editor does not understand."""


class _Entry(NamedTuple):
    """A line with a value."""

    key: str
    """With the name of its table."""
    line: int
    start: int
    end: int
    """Of the value, in the line."""


def line_of(text: str, key: str) -> int | None:
    """Return the number of the line that sets `key`, or None if it cannot be told."""
    return next((entry.line + 1 for entry in _entries(_lines(text)) if entry.key == key), None)


def set_value(text: str, key: str, value: str | int) -> str:
    """Return the text with the value of `key` replaced or added."""
    lines = _lines(text)
    written = _written(value)
    for entry in _entries(lines):
        if entry.key == key:
            line = lines[entry.line]
            lines[entry.line] = line[: entry.start] + written + line[entry.end :]
            break
    else:
        _add(lines, key, written, "\r\n" if "\r\n" in text else "\n")
    return _proved(text, "".join(lines), key, value)


def unset_value(text: str, key: str) -> str:
    """Return the text without the line of `key`."""
    lines = _lines(text)
    for entry in _entries(lines):
        if entry.key == key:
            del lines[entry.line]
            return _proved(text, "".join(lines), key, None)
    return _proved(text, text, key, None)


def flat(content: dict[str, object], prefix: str = "") -> dict[str, object]:
    """Return the values of nested tables by their dotted keys."""
    found: dict[str, object] = {}
    for key, value in content.items():
        if isinstance(value, dict):
            found |= flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found


def _lines(text: str) -> list[str]:
    """Return the lines with their ends; unlike `splitlines`, at the ends of TOML alone."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _entries(lines: list[str]) -> list[_Entry]:
    table = ""
    found = []
    for number, line in enumerate(lines):
        if header := _HEADER.match(line):
            table = _dotted(header[1]) + "."
        elif entry := _ENTRY.match(line):
            value = _VALUE.match(line, entry.end())
            if value is not None:
                key = table + _dotted(entry[1])
                found.append(_Entry(key, number, value.start(), value.end()))
    return found


def _add(lines: list[str], key: str, written: str, end: str) -> None:
    """Add an entry to the table of its key, or else before the first table."""
    table, _, name = key.rpartition(".")
    headers = [at for at, line in enumerate(lines) if _HEADER.match(line)]
    for at in headers:
        header = _HEADER.match(lines[at])
        if table and header is not None and _dotted(header[1]) == table:
            following = next((other for other in headers if other > at), len(lines))
            _insert(lines, _after_last(lines, at, following), f"{name} = {written}", end)
            return
    first = headers[0] if headers else len(lines)
    at = _after_last(lines, -1, first) if headers else first
    _insert(lines, at, f"{key} = {written}", end)


def _after_last(lines: list[str], start: int, stop: int) -> int:
    """Return the line after the last entry between two lines; after `start` if there is none."""
    entries = [entry.line for entry in _entries(lines) if start < entry.line < stop]
    return max(entries, default=start) + 1


def _insert(lines: list[str], at: int, line: str, end: str) -> None:
    if at > 0 and not lines[at - 1].endswith("\n"):
        lines[at - 1] += end
    lines.insert(at, line + end)


def _proved(before: str, after: str, key: str, value: str | int | None) -> str:
    """Return `after` if it differs from `before` in the value of `key` alone."""
    expected = flat(tomllib.loads(before))
    expected.pop(key, None)
    if value is not None:
        expected[key] = value
    try:
        is_right = flat(tomllib.loads(after)) == expected
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        raise CannotEdit(key)
    return after


def _dotted(key: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in key.split("."))


def _written(value: str | int) -> str:
    if isinstance(value, int):
        return str(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
