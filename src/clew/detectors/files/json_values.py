"""JSON from untrusted sources: any value may have an unexpected type."""

from __future__ import annotations

import json
from collections.abc import Mapping

_MAX_VERSION_LENGTH = 256


def json_object(content: bytes) -> dict[str, object]:
    """Return a JSON object; raises ValueError for anything else."""
    found = json.loads(content)
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def mapping(value: object) -> Mapping[str, object]:
    """Return a value that should be an object; an empty mapping if it is not."""
    return value if isinstance(value, dict) else {}


def version_text(value: object) -> str | None:
    """Return a version that can be shown; None if it is not a version."""
    if isinstance(value, str) and 0 < len(value) <= _MAX_VERSION_LENGTH and value.isprintable():
        return value
    return None
