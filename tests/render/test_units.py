from __future__ import annotations

import pytest

from clew.render.units import count, duration, size


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1_234_567, "1.2 MB"),
        (99_949, "99.9 kB"),
        (99_950, "100 kB"),
        (999_499, "999 kB"),
        (999_500, "1.0 MB"),
        (340 * 10**9, "340 GB"),
        (2**64, "18.4 EB"),
        (10**21, "1000 EB"),
        (-1500, "-1.5 kB"),
    ],
)
def test_sizes_are_in_units_of_a_thousand(number: int, text: str) -> None:
    assert size(number) == text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (3_249, "3.2 s"),
        (59_999, "59.9 s"),
        (125_000, "2 min 5 s"),
        (3_780_000, "1 h 3 min"),
        (100 * 3_600_000, "100 h 0 min"),
    ],
)
def test_durations_have_two_units_at_most(milliseconds: int, text: str) -> None:
    assert duration(milliseconds * 1_000_000) == text


def test_things_are_counted_with_their_plural() -> None:
    assert count(1, "file") == "1 file"
    assert count(0, "file") == "0 files"
    assert count(1234, "entry", "entries") == "1,234 entries"
