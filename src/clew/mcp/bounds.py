"""Limits on the size of a result, with a list of what was left out.

A list or text inside a list may occur hundreds of times, so its limit is lower.
"""

from __future__ import annotations

from typing import Any

LONGEST_LIST = 200
LONGEST_NESTED_LIST = 20
LONGEST_TEXT = 50_000
LONGEST_NESTED_TEXT = 2_000

_KEEP_END = ("output",)
"""Fields cut at the start: the end of a command's output matters most."""


def bounded(value: dict[str, Any]) -> dict[str, Any]:
    """Return `value`, shortened if needed, with a list `truncated` of what was left out."""
    cuts: dict[str, str] = {}
    kept = {key: _bounded(item, key, False, cuts) for key, item in value.items()}
    return {**kept, "truncated": list(cuts.values())} if cuts else kept


def _bounded(value: object, where: str, nested: bool, cuts: dict[str, str]) -> object:
    if isinstance(value, dict):
        return {key: _bounded(item, f"{where}.{key}", nested, cuts) for key, item in value.items()}
    if isinstance(value, list):
        most = LONGEST_NESTED_LIST if nested else LONGEST_LIST
        if len(value) > most:
            cuts.setdefault(where, f"{where}: the first {most:,} of {len(value):,}")
        return [_bounded(item, where, True, cuts) for item in value[:most]]
    if isinstance(value, str):
        return _text(value, where, LONGEST_NESTED_TEXT if nested else LONGEST_TEXT, cuts)
    return value


def _text(text: str, where: str, most: int, cuts: dict[str, str]) -> str:
    if len(text) <= most:
        return text
    keeps_end = where.rpartition(".")[2] in _KEEP_END
    end = "last" if keeps_end else "first"
    cuts.setdefault(where, f"{where}: the {end} {most:,} of {len(text):,} characters")
    return text[-most:] if keeps_end else text[:most]
