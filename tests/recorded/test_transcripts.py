"""Commands on the recorded session at each width: what they must never do, and what they print."""

from __future__ import annotations

import re

import pytest

from tests.recorded import transcripts
from tests.recorded.opening import Shop
from tests.recorded.transcripts import COMMANDS, PLACE
from tests.recorded.widths import WIDTHS, cells

_LOGS = (
    ("log",),
    ("log", "--grep", "修复"),
    ("log", "--since", "2026-11-17"),
)
_ID = re.compile(r"^[^0-9a-z\n]*[@○●◦][^0-9a-z\n]*([0-9a-f]{8}) ", re.MULTILINE)
"""The id of a checkpoint behind the graph."""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("words", _LOGS, ids=" ".join)
def test_no_line_of_a_log_is_wider_than_the_terminal(
    words: tuple[str, ...], width: int, shop: Shop
) -> None:
    ran = shop.run(*words, width=width)
    lines = ran.out.splitlines()

    assert ran.code == 0
    assert lines
    assert [line for line in lines if cells(line) > width] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_the_colours_of_a_log_take_no_room(width: int, shop: Shop) -> None:
    coloured = shop.run("log", width=width, tty=True).out

    assert "\x1b[" in coloured
    assert [line for line in coloured.splitlines() if cells(line) > width] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_every_id_stands_whole_at_the_begin_of_its_line(width: int, shop: Shop) -> None:
    out = shop.run("log", "--all", "-n", "1000", width=width).out
    known = {one for entry in shop.journal for one in entry["checkpoints"]}

    assert set(_ID.findall(out)) == known


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("number", [1, 3, 10])
def test_here_is_shown_however_few_are_asked_for(width: int, number: int, shop: Shop) -> None:
    assert "here" in shop.run("log", "-n", str(number), width=width).out


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_are_what_is_printed(name: str, width: int, shop: Shop) -> None:
    """`make transcripts` writes them again."""
    expected = (PLACE / f"{name}-{width}.txt").read_text()

    assert transcripts.page(shop, COMMANDS[name], width) == expected


def test_there_is_no_page_too_many() -> None:
    names = {f"{name}-{width}.txt" for name in COMMANDS for width in WIDTHS}

    assert {path.name for path in PLACE.iterdir()} == names
