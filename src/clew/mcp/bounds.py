"""Answers short enough for a model to read, which say themselves what was left out.

A list inside a list, and a text inside one, may be there hundreds of times, so they get less room.
"""

from __future__ import annotations

from typing import Any

LONGEST_LIST = 200
LONGEST_NESTED_LIST = 20
LONGEST_TEXT = 50_000
LONGEST_NESTED_TEXT = 2_000

_ENDINGS = ("output",)
"""Of what a command printed, the end matters most."""


def bounded(value: dict[str, Any]) -> dict[str, Any]:
    """Return `value`, or what fits of it with a list `cut` of what did not."""
    cuts: dict[str, str] = {}
    kept = {key: _bounded(item, key, False, cuts) for key, item in value.items()}
    return {**kept, "cut": list(cuts.values())} if cuts else kept


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
    is_ending = where.rpartition(".")[2] in _ENDINGS
    end = "last" if is_ending else "first"
    cuts.setdefault(where, f"{where}: the {end} {most:,} of {len(text):,} characters")
    return text[-most:] if is_ending else text[:most]
