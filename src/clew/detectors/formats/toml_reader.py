"""TOML reader: values of TOML."""

from __future__ import annotations

import tomllib
from typing import Any

from clew.detectors.formats.values import MAX_DEPTH, NodeCounter, Plain, Unreadable, Value

_LIMIT = 256 << 10
"""tomllib is slower than linear on unusual input."""
_MAX_DOTS = 100
"""Per line: for a key of 100,000 parts tomllib exhausts memory."""


def read_toml(text: str) -> Value:
    """Return the table of a file; raises `Unreadable`."""
    if not is_safe_toml(text):
        raise Unreadable("too large")
    try:
        found = tomllib.loads(text, parse_float=Plain)
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except ValueError:
        raise Unreadable("not TOML") from None
    return _plain(found, NodeCounter(), 0)


def is_safe_toml(text: str) -> bool:
    """Return whether tomllib can parse a text in reasonable time and memory."""
    dots = max((line.count(".") for line in text.splitlines()), default=0)
    return len(text) <= _LIMIT and dots <= _MAX_DOTS


def _plain(value: Any, counter: NodeCounter, depth: int) -> Value:
    """Return a value of tomllib with numbers and dates as they are written."""
    counter.count()
    if depth > MAX_DEPTH:
        raise Unreadable("nested too deeply")
    if isinstance(value, dict):
        return {key: _plain(inner, counter, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, counter, depth + 1) for inner in value]
    return value if isinstance(value, str | bool) else Plain(str(value))
