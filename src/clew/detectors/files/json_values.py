"""JSON that somebody else wrote: every value may be of another type than it should be."""

from __future__ import annotations

import json
from collections.abc import Mapping

_LONGEST_VERSION = 256


def json_object(content: bytes) -> dict[str, object]:
    """Return a JSON object; ValueError for whatever else it is."""
    found = json.loads(content)
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def mapping(value: object) -> Mapping[str, object]:
    """Return a value that should be an object; an empty one where it is something else."""
    return value if isinstance(value, dict) else {}


def version_text(value: object) -> str | None:
    """Return a version that can be shown; None for what is none."""
    if isinstance(value, str) and 0 < len(value) <= _LONGEST_VERSION and value.isprintable():
        return value
    return None
