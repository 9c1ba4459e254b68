"""The list of the picker: its cursor is always on a checkpoint, and a search narrows it."""

from __future__ import annotations

from typing import Any

import pytest

from clew.cli.picker_state import PickerState
from clew.model.checkpoint import Checkpoint, Labels
from clew.model.results import Log
from clew.model.shorten import width_of
from clew.render import picker
from clew.render.style import Style
from tests.cli import samples

MANY = tuple(
    samples.checkpoint(number, Labels(f"Step {number}: 変更 number {number}"))._replace(
        headline=f"requests upgraded to 2.{number}"
    )
    for number in range(1, 100)
)


def intents(state: PickerState, rows: tuple[Checkpoint | None, ...]) -> list[str]:
    found = (rows[number] for number in state.visible)
    return [one.labels.intent if one is not None else "-" for one in found]


def test_the_cursor_stays_within_the_list() -> None:
    state = PickerState(MANY)
    state.move(-5)
    first = state.selected
    state.go_to(end=True)
    state.move(5)

    assert (first, state.selected) == (MANY[0], MANY[-1])


def test_headings_are_passed_over_in_both_directions() -> None:
    rows = (None, MANY[0], None, None, MANY[1], None)
    state = PickerState(rows)
    seen = [state.selected]
    for places in (1, 1, -1, -1):
        state.move(places)
        seen.append(state.selected)

    assert seen == [MANY[0], MANY[1], MANY[1], MANY[0], MANY[0]]
    assert state.total == 2


@pytest.mark.parametrize(
    "text", ["step 42:", "STEP  42", "upgraded to 2.42", MANY[41].id.hex()[:12], "変更 number 42"]
)
def test_a_search_finds_intents_headlines_and_ids(text: str) -> None:
    state = PickerState(MANY)
    state.look_for(text)

    assert (state.matching, state.selected) == (1, MANY[41])


def test_few_characters_do_not_match_ids() -> None:
    state = PickerState(MANY)
    state.look_for("2a")

    assert MANY[41].id.hex().startswith("2a")
    assert (state.matching, state.selected) == (0, None)


def test_the_cursor_stays_on_its_checkpoint_through_searches_and_a_new_list() -> None:
    state = PickerState(MANY)
    state.move(41)
    state.look_for("number 4")
    narrowed = state.selected
    state.look_for("")
    state.load((samples.RESCUE, None, *MANY))

    assert narrowed == state.selected == MANY[41]


def test_headings_are_not_matches() -> None:
    rows = (None, MANY[0], MANY[1])
    state = PickerState(rows)
    state.look_for("step")

    assert intents(state, rows) == [one.labels.intent for one in MANY[:2]]


def test_only_the_rows_in_view_are_made() -> None:
    class Counted(tuple[Checkpoint, ...]):
        read = 0

        def __getitem__(self, at: Any) -> Any:
            Counted.read += 1
            return super().__getitem__(at)

    rows = picker.rows(Log(None, Counted(MANY)), Style(samples.NOW, lambda _: 0, 80, False))
    before = Counted.read
    rows.text(50)

    assert before <= 2
    assert Counted.read == before + 1


@pytest.mark.parametrize("width", [40, 47, 60, 100, 240])
def test_a_row_fills_its_pane_but_for_the_last_column(width: int) -> None:
    found = (*MANY, samples.RESCUE, samples.NAMED)
    rows = picker.rows(Log(None, found), Style(samples.NOW, lambda _: 0, width, False))

    assert {width_of(rows.text(number)) for number in range(len(found))} == {width - 1}
