"""Edits transform one text into the other, however small the search budget is."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clew.diff.edits import Edit, find_edits
from clew.diff.merge_text import merge_text
from clew.diff.myers import Effort
from clew.diff.slide import slide

LINES = st.lists(st.integers(0, 3), max_size=40)


def applied(old: list[int], new: list[int], edits: list[Edit]) -> list[int]:
    """Return `old` with the edits applied, the last one first so that positions stay valid."""
    result = list(old)
    for edit in reversed(edits):
        result[edit.old : edit.old_end] = new[edit.new : edit.new_end]
    return result


def assert_sound(old: list[int], new: list[int], edits: list[Edit]) -> None:
    assert applied(old, new, edits) == new
    for first, second in pairwise(edits):
        assert second.old - first.old_end == second.new - first.new_end > 0


@pytest.mark.parametrize("effort", [(0, 0), (40, 5), (1000, 1000)])
@settings(max_examples=100)
@given(old=LINES, new=LINES)
@example(old=[0, 0, 1, 0], new=[0, 0, 0, 0, 1])  # a group that grew when the effort was spent
def test_edits_are_right_however_little_effort_is_left(
    effort: tuple[int, int], old: list[int], new: list[int]
) -> None:
    assert_sound(old, new, find_edits(old, new, Effort(*effort)))


def test_the_fewest_lines_go_and_come() -> None:
    edits = find_edits([1, 2, 3, 4, 5], [1, 3, 4, 6, 5], Effort())

    assert edits == [Edit(1, 2, 1, 1), Edit(4, 4, 3, 4)]


def test_an_edit_that_could_stand_in_several_places_stands_in_the_last() -> None:
    assert find_edits([1, 2, 3], [1, 2, 1, 2, 3], Effort()) == [Edit(2, 2, 2, 4)]


def test_an_edit_that_can_stand_beside_a_change_of_the_other_text_does() -> None:
    edits = find_edits([7, 1, 1, 1, 2], [8, 1, 1, 2], Effort())

    assert edits == [Edit(0, 2, 0, 1)]


def test_two_texts_in_another_order_cost_no_more_than_the_effort_and_a_little() -> None:
    chance = Random(1)
    old = list(range(20_000))
    new = chance.sample(old, len(old))
    effort = Effort(steps=100_000)
    edits = find_edits(old, new, effort)

    assert_sound(old, new, edits)
    assert effort.steps > -3_000_000  # a complete search would take 15 million steps


def test_groups_stay_where_they_are_when_the_effort_is_spent() -> None:
    marks = bytearray([1, 0, 0, 0, 1, 0, 0, 0])
    slide([5, 5, 5, 6, 5, 5, 5], marks, bytearray(6), Effort(slides=1))

    assert marks == bytearray([0, 0, 1, 0, 1, 0, 0, 0])


def test_wholly_different_long_texts_are_one_conflict() -> None:
    base, ours, theirs = (
        b"".join(b"%s %d\n" % (name, at) for at in range(50_000)) for name in (b"b", b"o", b"t")
    )
    merged = merge_text(base, ours, theirs)

    assert merged.conflicts == 1
    assert merged.content == (
        b"<<<<<<< ours\n" + ours + b"=======\n" + theirs + b">>>>>>> theirs\n"
    )
