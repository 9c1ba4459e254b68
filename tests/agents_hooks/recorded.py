"""Payloads recorded from real agents, with paths replaced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TESTDATA = Path(__file__).parent / "testdata"


def recorded(name: str, event: str | None = None) -> list[dict[str, Any]]:
    """Return the events of a recording, or those of one name."""
    lines = (TESTDATA / f"{name}.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    return [one for one in found if event in (None, one["hook_event_name"])]


def odd(value: object) -> list[object]:
    """Return values that an unknown version might send instead of a value."""
    others: list[object] = [None, True, 7, -1.5, "", "\0", "x" * 100_000, [], [[]], [1, "a"], {}]
    return [*others, {"a": {"b": [value]}}, [value], {"command": value}]
