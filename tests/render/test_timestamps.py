from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.render.style import Style
from clew.render.timestamps import civil, full, minute, rfc3339, short

SECOND = 1_000_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def look(now: str, offset: int = 0) -> Style:
    return Style(at(now), lambda _: offset, 80, False)


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * SECOND


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))
def test_the_calendar_agrees_with_the_standard_library(moment: datetime) -> None:
    seconds = (moment.replace(tzinfo=UTC) - EPOCH) // timedelta(seconds=1)
    found = civil(seconds)

    assert f"{found.date} {found.clock}:{found.second:02}" == f"{moment:%Y-%m-%d %H:%M:%S}".zfill(
        19
    )
    assert found.day_number == (moment.replace(tzinfo=UTC) - EPOCH).days


@pytest.mark.parametrize(
    ("time_ns", "text"),
    [
        (0, "1970-01-01T00:00:00.000000000Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"),
        (1_709_210_096_123_456_789, "2024-02-29T12:34:56.123456789Z"),
        (253_402_300_800 * SECOND, "+010000-01-01T00:00:00.000000000Z"),
        ((2**63 - 1) * SECOND, "+292277026596-12-04T15:30:07.000000000Z"),
        (-(2**63) * SECOND, "-292277022657-01-27T08:29:52.000000000Z"),
    ],
)
def test_times_of_files_are_exact_in_any_year(time_ns: int, text: str) -> None:
    assert rfc3339(time_ns) == text


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        ("2026-01-05 10:27", "10:27"),
        ("2026-01-05 00:00", "00:00"),
        ("2026-01-04 23:59", "Sun 23:59"),
        ("2025-12-30 11:00", "Tue 11:00"),
        ("2025-12-29 23:59", "2025-12-29 23:59"),
        ("2026-01-06 00:00", "2026-01-06 00:00"),
    ],
)
def test_a_time_is_as_short_as_it_can_be(moment: str, text: str) -> None:
    assert short(at(moment), look("2026-01-05 11:00")) == text


def test_today_is_the_readers_day() -> None:
    assert short(at("2026-01-04 23:30"), look("2026-01-05 00:10", offset=3600)) == "00:30"
    assert short(at("2026-01-05 00:05"), look("2026-01-05 05:10", offset=-3600)) == "Sun 23:05"


def test_a_full_time_says_its_offset() -> None:
    reader = look("2026-01-05 11:00", offset=-(3 * 3600 + 1800))

    assert full(at("2026-01-05 10:27"), reader) == "2026-01-05 06:57:00 -03:30"
    assert minute(at("2026-01-05 10:27"), reader) == "2026-01-05 06:57"
