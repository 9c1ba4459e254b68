"""Lean schemas: the same meaning in fewer bytes, since a client reads all of them in every session."""

from __future__ import annotations

from typing import Any

_EMPTY = ("''", "[]", "{}", "False", "None")
"""Defaults that say no more than that an argument is optional; 0 is none of them."""
_BY_NAME = ("properties", "$defs")
"""Keywords whose keys are names, not keywords."""


def lean(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without the titles that repeat names, and without empty defaults."""
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" or (key == "default" and repr(value) in _EMPTY):
            continue
        if key in _BY_NAME:
            kept[key] = {name: lean(part) for name, part in value.items()}
        elif key == "anyOf":
            kept |= _alternatives([lean(part) for part in value])
        elif isinstance(value, dict):
            kept[key] = lean(value)
        else:
            kept[key] = value
    return kept


def _alternatives(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return alternatives; simple types as a list of their names."""
    if all(part.keys() == {"type"} for part in parts):
        return {"type": [part["type"] for part in parts]}
    return {"anyOf": parts}
