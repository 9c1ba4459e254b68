"""Sizes, durations and counts as text."""

from __future__ import annotations

from clew.model.amount import counted as count
from clew.model.amount import size_text as size

__all__ = ["count", "duration", "size"]


def duration(nanoseconds: int) -> str:
    """Return a duration in two units at most: `340 ms`, `3.2 s`, `2 min 5 s`, `1 h 3 min`."""
    milliseconds = nanoseconds // 1_000_000
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds // 100 / 10} s"
    minutes, seconds = divmod(milliseconds // 1000, 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s"
    return f"{minutes // 60} h {minutes % 60} min"
