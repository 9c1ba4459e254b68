"""Time zones that do not depend on the machine that runs the tests."""

from __future__ import annotations

from datetime import UTC, datetime

SECOND = 1_000_000_000


def utc(text: str) -> int:
    """Return a time, given as ISO 8601 in UTC, in nanoseconds."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * SECOND


def in_utc(_: float) -> int:
    return 0


SUMMER_BEGAN, SUMMER_ENDED = utc("2026-03-29T01:00") // SECOND, utc("2026-10-25T01:00") // SECOND


def in_berlin(moment: float) -> int:
    """Return Berlin's offset in 2026: 02:00 to 03:00 is skipped on 29 March, repeated on 25 October."""
    return 7200 if SUMMER_BEGAN <= moment < SUMMER_ENDED else 3600
