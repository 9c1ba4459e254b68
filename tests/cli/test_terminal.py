from __future__ import annotations

import pytest

from clew.cli.terminal import Terminal
from tests.cli.fakes import FakeClew, Stream


def terminal(*, tty: bool = True, **environ: str) -> Terminal:
    return Terminal(Stream(tty=tty), Stream(tty=tty), Stream(tty=tty), environ)


@pytest.mark.parametrize(
    ("tty", "environ", "colour"),
    [
        (True, {}, True),
        (True, {"NO_COLOR": ""}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {"CLICOLOR": "0"}, False),
        (False, {}, False),
        (False, {"CLICOLOR": "1"}, False),
        (False, {"CLICOLOR_FORCE": "1"}, True),
        (False, {"CLICOLOR_FORCE": "1", "CLICOLOR": "0"}, True),
        (False, {"CLICOLOR_FORCE": "0"}, False),
        (False, {"CLICOLOR_FORCE": ""}, False),
        (True, {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    tty: bool, environ: dict[str, str], colour: bool
) -> None:
    assert terminal(tty=tty, **environ).colour is colour


def test_a_dumb_terminal_is_not_drawn_on() -> None:
    assert terminal().draws
    assert not terminal(TERM="dumb").draws
    assert not terminal(tty=False).draws


@pytest.mark.parametrize(
    ("columns", "width"), [("72", 72), ("0", 200), ("", 200), ("-5", 200), ("x", 200)]
)
def test_the_width_is_what_the_environment_says_or_a_guess(columns: str, width: int) -> None:
    assert terminal(COLUMNS=columns).width == width


def test_nothing_is_coloured_off_a_terminal(fake: FakeClew) -> None:
    assert "\x1b" not in fake.run("log").out
    assert "\x1b" in fake.run("log", tty=True).out
