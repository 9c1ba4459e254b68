"""Thinning, by hand and against an oracle that is as simple as the rule."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.model.ids import CheckpointId
from clew.operations.maintenance.thinning import (
    DAY,
    HOUR,
    MONTH,
    WEEK,
    AgedCheckpoint,
    ages,
    thinned,
    tier,
)

NOW = 1_800_000_000 * 1_000_000_000
WORTH = (0, 0, 0)

Saved = tuple[int, tuple[int, int, int]]
"""A time, and what speaks for keeping it."""

TIMES = st.integers(NOW - 200 * DAY, NOW)
WORTHS = st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 3))
HISTORIES = st.lists(st.tuples(TIMES, WORTHS), max_size=60).map(sorted)


def candidates(history: Sequence[Saved], now_ns: int) -> list[AgedCheckpoint]:
    """Return automatic checkpoints as they are at some time, numbered in their order."""
    old = ages([(number, time_ns) for number, (time_ns, _) in enumerate(history)], now_ns)
    return [
        AgedCheckpoint(identifier(number), number, time_ns, old[number], worth)
        for number, (time_ns, worth) in enumerate(history)
    ]


def identifier(number: int) -> CheckpointId:
    return CheckpointId(number.to_bytes(32, "big"))


def oracle(found: Sequence[AgedCheckpoint]) -> set[CheckpointId]:
    """Return what goes: whoever has a better rival in its hour, its day or its week."""

    def span(one: AgedCheckpoint) -> tuple[str, int] | None:
        if one.age_ns < DAY:
            return None
        if one.age_ns < WEEK:
            return "hour", one.time_ns // HOUR
        if one.age_ns < MONTH:
            return "day", one.time_ns // DAY
        return "week", one.time_ns // WEEK

    return {
        one.id
        for one in found
        if span(one) is not None
        and any(
            span(other) == span(one) and (other.worth, other.sequence) > (one.worth, one.sequence)
            for other in found
        )
    }


@pytest.mark.parametrize(
    ("age", "rule"),
    [
        (-HOUR, ""), (0, ""), (DAY - 1, ""), (DAY, "hourly"), (WEEK - 1, "hourly"),
        (WEEK, "daily"), (MONTH - 1, "daily"), (MONTH, "weekly"), (3000 * DAY, "weekly"),
    ],
)  # fmt: skip
def test_each_age_has_its_rule(age: int, rule: str) -> None:
    assert tier(age)[0] == rule


def test_a_year_of_saves_every_ten_minutes_is_thinned_to_what_the_rule_says() -> None:
    step = 10 * 60 * 1_000_000_000
    history = [(NOW - number * step, WORTH) for number in range(365 * 144)][::-1]
    found = candidates(history, NOW)
    kept = len(found) - len(thinned(found))

    assert 144 + 6 * 24 + 23 + 47 <= kept <= 145 + 6 * 24 + 1 + 24 + 50


@given(HISTORIES)
@settings(max_examples=300)
def test_what_goes_is_what_the_rule_says(history: list[Saved]) -> None:
    found = candidates(history, NOW)

    assert set(thinned(found)) == oracle(found)


@given(HISTORIES, st.integers(0, 400 * DAY))
@settings(max_examples=200)
def test_thinning_twice_removes_nothing_more(history: list[Saved], later: int) -> None:
    found = candidates(history, NOW + later)
    gone = thinned(found)

    assert thinned([one for one in found if one.id not in gone]) == {}


@given(HISTORIES, st.lists(st.integers(0, 20 * DAY), max_size=12))
@settings(max_examples=300)
def test_thinning_often_ends_as_thinning_once(history: list[Saved], steps: list[int]) -> None:
    now, gone = NOW, set[CheckpointId]()
    for step in (0, *steps):
        now += step
        gone |= thinned(one for one in candidates(history, now) if one.id not in gone).keys()

    assert gone == set(thinned(candidates(history, now)))


@given(HISTORIES)
@settings(max_examples=100)
def test_no_span_of_time_is_emptied(history: list[Saved]) -> None:
    found = candidates(history, NOW)
    gone = thinned(found)
    weeks = {one.time_ns // WEEK for one in found}

    assert {one.time_ns // WEEK for one in found if one.id not in gone} == weeks


class Glitch:
    """What a clock may say instead of the time."""

    FUTURE = "future"
    BEHIND = "behind"
    NO_CLOCK = "no clock"


@given(
    st.lists(
        st.tuples(
            st.integers(1, 4 * DAY),
            st.sampled_from((None, None, None, Glitch.FUTURE, Glitch.BEHIND, Glitch.NO_CLOCK)),
            st.integers(1, 500 * DAY),
        ),
        max_size=40,
    )
)
@settings(max_examples=300)
def test_a_clock_that_jumps_never_makes_what_is_recent_old(
    waits: list[tuple[int, str | None, int]],
) -> None:
    """The time is true unless the clock jumped; then it lies after now, or before what was saved."""
    true = NOW - sum(wait for wait, _, _ in waits)
    latest, said, real = 0, [], []
    for wait, glitch, by in waits:
        true += wait
        match glitch:
            case Glitch.FUTURE:
                said.append(NOW + by)
            case Glitch.BEHIND if latest:
                said.append(latest - by)
            case Glitch.NO_CLOCK:
                said.append(by % HOUR)
            case _:
                said.append(true)
                latest = true
        real.append(true)
    found = candidates([(time_ns, WORTH) for time_ns in said], NOW)
    gone = thinned(found)

    assert not [one for one in found if one.id in gone and NOW - real[one.sequence] < DAY]
    assert all(one.age_ns <= NOW - real[one.sequence] for one in found)


def test_times_are_compared_in_the_order_of_the_checkpoints() -> None:
    times = [(1, NOW - 9 * DAY), (2, NOW + DAY), (3, NOW - 20 * DAY), (4, NOW - 2 * DAY), (5, 7)]

    assert ages(times, NOW) == {1: 9 * DAY, 2: 2 * DAY, 3: 2 * DAY, 4: 2 * DAY, 5: 0}
