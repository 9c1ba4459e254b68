"""Parsing of sizes, durations and relative times."""

from __future__ import annotations

import pytest

from clew.model.quantity import parse_duration, parse_since, parse_size
from tests.model.clocks import SECOND, in_berlin, in_utc, utc

NOW = utc("2026-11-15T12:00:30")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("1000", 1000),
        ("12B", 12),
        ("1K", 1000),
        ("1kB", 1000),
        ("1KiB", 1024),
        ("7M", 7_000_000),
        ("512MiB", 512 << 20),
        ("5GB", 5_000_000_000),
        ("5gb", 5_000_000_000),
        ("5 GB", 5_000_000_000),
        (" 5GiB ", 5 << 30),
        ("2T", 2 * 10**12),
        ("1TiB", 1 << 40),
        ("1.5GiB", 3 << 29),
        ("0.1", 0),
        ("0.3K", 300),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text",
    ["", "GB", "-1", "+1", "5XB", "5G5", "1e9", "1,5G", ".", "1.", ".5", "1.2.3G", "٣", "5gibb"],
)
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^not a size like 5GB, 512MiB or 1000: "):
        parse_size(text)


def test_a_size_beyond_64_bits_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^too large"):
        parse_size("9300000T")
    with pytest.raises(ValueError, match=r"^too many digits"):
        parse_size("9" * 10_000)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("45s", 45),
        ("90m", 5400),
        ("36h", 129_600),
        ("7d", 604_800),
        ("2w", 1_209_600),
        ("1.5h", 5400),
        ("0s", 0),
    ],
)
def test_durations(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds * SECOND


@pytest.mark.parametrize(
    "text", ["", "7", "d", "-7d", "7D", "7 days", "1h30m", "7y", "10:27", "1.d"]
)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^not a duration like 45s, 90m, 36h, 7d or 2w: "):
        parse_duration(text)


def test_a_long_text_is_not_repeated_in_full() -> None:
    with pytest.raises(ValueError, match="not a size") as caught:
        parse_size("x" * 100_000)

    assert len(str(caught.value)) < 100


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2h", "2026-11-15T10:00:30"),
        ("7d", "2026-11-08T12:00:30"),
        ("10:27", "2026-11-15T10:27:00"),
        ("13:00", "2026-11-14T13:00:00"),
        ("2026-11-15", "2026-11-15T00:00:00"),
        ("2026-11-15 10:27", "2026-11-15T10:27:00"),
        ("2026-11-15T10:27:30+02:00", "2026-11-15T08:27:30"),
    ],
)
def test_since_is_a_while_ago_or_the_start_of_a_time(text: str, moment: str) -> None:
    assert parse_since(text, NOW, in_utc) == utc(moment)


def test_since_a_day_begins_at_local_midnight() -> None:
    assert parse_since("2026-07-01", NOW, in_berlin) == utc("2026-06-30T22:00")


def test_since_longer_ago_than_time_began_is_since_ever() -> None:
    assert parse_since("10000w", NOW, in_utc) == 0


@pytest.mark.parametrize("text", ["", "2", "yesterday", "3f2a", "25:00", "2026-02-30"])
def test_what_is_neither_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^not a duration like 2h nor a time like 10:27 or "):
        parse_since(text, NOW, in_utc)
