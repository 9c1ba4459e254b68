"""Retention: the setting of Chimera that limits the number of checkpoints.

    [storage.checkpoints]
    retain = 5

It is off by default.  The project's configuration overrides the user's; a file that cannot be parsed
is ignored, as Chimera does it.
"""

from __future__ import annotations

import json
import os
import tomllib
from typing import Any

_TABLES = ("project-checkpoints", "project_checkpoints", "checkpoints")


def retained(directory: str) -> int | None:
    """Return how many checkpoints of a directory are retained; None means all."""
    home = os.path.expanduser("~")
    scopes = (os.path.join(home, ".config", "chimera"), os.path.join(home, ".chimera"))
    found = None
    for scope in (*scopes, os.path.join(directory, ".chimera")):
        for name in ("config.json", "config.toml"):
            table = _table(_read(os.path.join(scope, name)))
            found = table.get("retain", found)
    return _positive(found)


def _read(path: str) -> Any:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file) if path.endswith(".toml") else json.load(file)
    except (OSError, ValueError):
        return {}


def _table(config: Any) -> dict[str, Any]:
    storage = config.get("storage") if isinstance(config, dict) else None
    if isinstance(storage, dict):
        for name in _TABLES:
            if isinstance(storage.get(name), dict):
                return dict(storage[name])
    return {}


def _positive(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and isinstance(value, int) and value > 0 else None
