"""References: the readings of a text, and their order."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.model.reference import (
    ById,
    ByName,
    ByTime,
    Here,
    Keyword,
    Reading,
    check_name,
    parse,
    time_window,
)
from tests.model.clocks import SECOND, in_berlin, in_utc, utc

NOW = utc("2026-11-15T12:00:30")
FULL = "0123456789abcdef" * 4


def readings(text: str) -> list[Reading]:
    return parse(text, NOW, in_utc)


def kinds(text: str) -> list[type]:
    return [type(reading) for reading in readings(text)]


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("@", Here(0)),
        ("@~0", Here(0)),
        ("@~1", Here(1)),
        ("@~12", Here(12)),
        ("here", Keyword("here")),
        ("latest", Keyword("latest")),
        ("good", Keyword("good")),
        (FULL, ById(FULL)),
        (FULL.upper(), ById(FULL)),
        ("id:3f2a", ById("3f2a")),
        ("id:" + FULL, ById(FULL)),
        ("name:here", ByName("here")),
        ("name:3f2a", ByName("3f2a")),
        ("name:id:3f2a", ByName("id:3f2a")),
        ("time:10:27", ByTime(utc("2026-11-15T10:27"), utc("2026-11-15T10:28") - 1)),
    ],
)
def test_what_can_mean_one_thing_has_one_reading(text: str, reading: Reading) -> None:
    assert readings(text) == [reading]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("before auth refactor", [ByName]),
        ("checkpoint-7", [ByName]),
        ("10:27", [ByName, ByTime]),
        ("2026-11-15", [ByName, ByTime]),
        ("3f2a", [ByName, ById]),
        ("2026", [ByName, ById]),
        ("20261115", [ByName, ById]),
        ("3f2", [ByName]),
        ("0" * 65, [ByName]),
        ("../../x", [ByName]),
        ("Here", [ByName]),
        ("2026-13-01", [ByName]),
        ("25:00", [ByName]),
        ("ID:3f2a", [ByName]),
        ("--help", [ByName]),
        ("é|\\'\"", [ByName]),
    ],
)
def test_what_can_mean_several_things_is_a_name_first(text: str, expected: list[type]) -> None:
    assert kinds(text) == expected


def test_readings_of_two_kinds_are_never_equal() -> None:
    assert ByName("beef") != ById("beef")
    assert ByName("beef") == ByName("beef")
    assert len({ByName("beef"), ById("beef"), ByName("beef")}) == 2
    assert repr(ByTime(1, 2)) == "ByTime(1, 2)"


def test_a_prefix_is_compared_in_lower_case() -> None:
    assert readings("3F2A")[-1] == ById("3f2a")
    assert not ById("3f2a").is_full
    assert ById(FULL).is_full


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x" * 301,
        "a\nb",
        "a\0b",
        "\x1b[31m",
        "a\x7f",
        "a\x9b",
        "a\udcff",
        "a\u202eb",
        "a\u2028b",
        "@~",
        "@~x",
        "@~-1",
        "@~1.5",
        "@~٣",
        "@~" + "9" * 10,
        "@1",
        "@foo",
        "@@",
        "id:",
        "id:3f2",
        "id:xyzw",
        "id:" + FULL + "0",
        "name:",
        "time:",
        "time:yesterday",
        "time:3f2a",
    ],
)
def test_what_can_mean_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^(it|only) "):
        readings(text)


@given(st.text(st.characters(), max_size=40))
@settings(max_examples=100)
def test_any_text_has_readings_or_is_refused(text: str) -> None:
    try:
        found = readings(text)
    except ValueError:
        return

    assert found


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("10:27", "2026-11-15T10:27:00", "2026-11-15T10:28:00"),
        ("10:27:30", "2026-11-15T10:27:30", "2026-11-15T10:27:31"),
        ("9:05", "2026-11-15T09:05:00", "2026-11-15T09:06:00"),
        ("00:00", "2026-11-15T00:00:00", "2026-11-15T00:01:00"),
        ("12:00", "2026-11-15T12:00:00", "2026-11-15T12:01:00"),  # has begun, has not ended
        ("12:00:30", "2026-11-15T12:00:30", "2026-11-15T12:00:31"),
        ("12:00:31", "2026-11-14T12:00:31", "2026-11-14T12:00:32"),  # not yet today
        ("12:01", "2026-11-14T12:01:00", "2026-11-14T12:02:00"),
        ("23:59", "2026-11-14T23:59:00", "2026-11-15T00:00:00"),
        ("10:27Z", "2026-11-15T10:27:00", "2026-11-15T10:28:00"),
        ("10:27+02:00", "2026-11-15T08:27:00", "2026-11-15T08:28:00"),
        ("9:05-01:00", "2026-11-15T10:05:00", "2026-11-15T10:06:00"),
        ("2026-11-15", "2026-11-15T00:00:00", "2026-11-16T00:00:00"),
        ("2024-02-29", "2024-02-29T00:00:00", "2024-03-01T00:00:00"),
        ("2026-12-31", "2026-12-31T00:00:00", "2027-01-01T00:00:00"),
        ("2026-11-15T10:27", "2026-11-15T10:27:00", "2026-11-15T10:28:00"),
        ("2026-11-15 10:27", "2026-11-15T10:27:00", "2026-11-15T10:28:00"),
        ("2026-11-15T10:27:30", "2026-11-15T10:27:30", "2026-11-15T10:27:31"),
        ("2026-11-15T10:27:30Z", "2026-11-15T10:27:30", "2026-11-15T10:27:31"),
        ("2026-11-15T10:27:30+02:00", "2026-11-15T08:27:30", "2026-11-15T08:27:31"),
        ("2026-11-15T23:30-05:30", "2026-11-16T05:00:00", "2026-11-16T05:01:00"),
        ("1970-01-01", "1970-01-01T00:00:00", "1970-01-02T00:00:00"),
    ],
)
def test_a_time_is_a_window(text: str, start: str, end: str) -> None:
    assert time_window(text, NOW, in_utc) == ByTime(utc(start), utc(end) - 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":",
        "10",
        "10:",
        "10:2",
        "10:270",
        "010:27",
        "24:00",
        "10:60",
        "10:27:60",
        "10:27:30:00",
        "10:27:30.5",
        " 10:27",
        "10:27 ",
        "-1:27",
        "10:27+2",
        "10:27+02",
        "10:27+02:00:00",
        "10:27ZZ",
        "10:27Z+02:00",
        "Z",
        "٣٣:٣٣",
        "2026-11-15Z",
        "2026-11-15T",
        "2026-11-15T10",
        "2026-11-15x10:27",
        "2026-02-30",
        "2026-00-01",
        "0000-01-01",
        "9999-12-31",
        "2026-1-1",
        "2026-11-155",
        "yesterday",
    ],
)
def test_what_is_no_time_has_no_window(text: str) -> None:
    assert time_window(text, NOW, in_utc) is None


def test_times_are_local() -> None:
    now = utc("2026-07-01T12:00:00")

    assert time_window("10:27", now, in_berlin) == ByTime(
        utc("2026-07-01T08:27"), utc("2026-07-01T08:28") - 1
    )
    assert time_window("2026-07-01", now, in_berlin) == ByTime(
        utc("2026-06-30T22:00"), utc("2026-07-01T22:00") - 1
    )


def test_today_is_the_local_day() -> None:
    now = utc("2026-06-30T22:30")  # half past midnight in Berlin

    assert time_window("00:15", now, in_berlin) == ByTime(
        utc("2026-06-30T22:15"), utc("2026-06-30T22:16") - 1
    )


def test_the_day_when_clocks_are_set_back_has_25_hours() -> None:
    window = time_window("2026-10-25", NOW, in_berlin)

    assert window is not None
    assert window.end_ns + 1 - window.start_ns == 25 * 3600 * SECOND


def test_a_time_that_came_twice_ends_with_its_second_coming() -> None:
    window = time_window("2026-10-25T02:30", NOW, in_berlin)

    assert window == ByTime(utc("2026-10-25T00:30"), utc("2026-10-25T01:31") - 1)


def test_a_bare_time_that_came_twice_is_the_latest_that_has_begun() -> None:
    between = time_window("02:30", utc("2026-10-25T01:00"), in_berlin)
    after = time_window("02:30", utc("2026-10-25T01:45"), in_berlin)

    assert between == ByTime(utc("2026-10-25T00:30"), utc("2026-10-25T00:31") - 1)
    assert after == ByTime(utc("2026-10-25T01:30"), utc("2026-10-25T01:31") - 1)


def test_a_time_that_was_skipped_is_counted_on_from_before() -> None:
    window = time_window("2026-03-29T02:30", NOW, in_berlin)

    assert window == ByTime(utc("2026-03-29T01:30"), utc("2026-03-29T01:31") - 1)


@given(
    st.integers(utc("2026-01-03T00:00") // SECOND, utc("2026-12-31T00:00") // SECOND),
    st.integers(0, 23),
    st.integers(0, 59),
)
@settings(max_examples=100)
def test_a_bare_time_is_never_in_the_future_nor_two_days_old(
    now: int, hour: int, minute: int
) -> None:
    window = time_window(f"{hour:02}:{minute:02}", now * SECOND, in_berlin)

    assert window is not None
    assert window.start_ns <= now * SECOND
    assert window.start_ns > (now - 25 * 3600 - 60) * SECOND


@pytest.mark.parametrize(
    "name",
    [
        "before auth refactor",
        "v1.2",
        "abc",
        "green",
        "10.27",
        "fix|pipe",
        "x" * 120,
        "checkpoint-x",
    ],
)
def test_a_good_name_is_read_as_a_name_and_nothing_else(name: str) -> None:
    check_name(name)

    assert kinds(name) == [ByName]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "empty"),
        ("x" * 121, "longer than 120 characters"),
        ("a\nb", "control characters"),
        ("a\0", "control characters"),
        ("a\x1b[0m", "control characters"),
        ("a\u2029", "control characters"),
        ("a\u202e", "control characters"),
        ("a\udcff", "control characters"),
        (" a", "leading or trailing space"),
        ("a ", "leading or trailing space"),
        ("a\u00a0", "leading or trailing space"),
        ("-f", "looks like an option"),
        ("@", "looks like a reference"),
        ("@home", "looks like a reference"),
        ("here", "reserved word"),
        ("latest", "reserved word"),
        ("GOOD", "reserved word"),
        ("id:x", "starts with a reference prefix"),
        ("Time:x", "starts with a reference prefix"),
        ("name:x", "starts with a reference prefix"),
        ("beef", "looks like an id"),
        ("DEADBEEF", "looks like an id"),
        ("2026", "looks like an id"),
        (FULL, "looks like an id"),
        ("10:27", "looks like a time"),
        ("2026-11-15", "looks like a time"),
        ("2026-11-15 10:27", "looks like a time"),
        ("checkpoint-7", "reserved for unnamed checkpoints"),
    ],
)
def test_a_name_that_could_mislead_is_refused_with_the_reason(name: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        check_name(name)


@given(st.text(st.sampled_from("@~:-0123456789abcdefTZ xhertlgood"), max_size=20))
@settings(max_examples=150)
def test_every_name_that_is_accepted_has_one_reading(name: str) -> None:
    try:
        check_name(name)
    except ValueError:
        return

    assert kinds(name) == [ByName]


def test_importing_references_loads_neither_datetime_nor_the_clock() -> None:
    script = (
        "import sys, clew.model.reference; "
        "sys.exit(bool({'datetime', 'dataclasses', 'calendar', 'locale'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
