from __future__ import annotations

from clew.cli.progress import ProgressLine
from tests.cli import samples
from tests.cli.fakes import Stream

CLEAR = "\r\x1b[K"


class Clock:
    """Stands still unless told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def line(clock: Clock, *, draws: bool = True) -> tuple[ProgressLine, Stream]:
    stream = Stream()
    return ProgressLine(stream, draws, clock), stream


def test_quick_work_draws_nothing() -> None:
    clock = Clock()
    progress, stream = line(clock)
    clock.now += 0.4
    progress.progress("scan", 10, None)

    assert stream.text == ""


def test_long_work_is_drawn_at_most_ten_times_a_second() -> None:
    clock = Clock()
    progress, stream = line(clock)
    for step in range(100):
        clock.now = 100 + step / 50
        progress.progress("scan", step, None)

    assert 10 <= stream.text.count(CLEAR) <= 15


def test_the_line_says_how_far_it_is() -> None:
    progress, stream = line(Clock())
    progress.hurry()
    progress.progress("scan", 1234, 5678, 12_300_000)

    assert stream.text == f"{CLEAR}Reading: 1,234 of 5,678 files (21 %), 12.3 MB"


def test_the_line_is_taken_away_before_anything_else_is_written() -> None:
    progress, stream = line(Clock())
    progress.hurry()
    progress.progress("scan", 1, None)
    progress.notice("Something happened")

    assert stream.text == f"{CLEAR}Reading: 1 file{CLEAR}Something happened\n"


def test_off_a_terminal_only_lines_that_matter_are_written() -> None:
    clock = Clock()
    progress, stream = line(clock, draws=False)
    clock.now += 60
    progress.progress("scan", 1, None)
    progress.waiting("the store")
    progress.problem(samples.HOSTILE_PATH, "cannot be read")
    progress.clear()

    assert stream.text == (
        "Waiting for another clew process: the store\n\\x1b[2J\\xff\\n\\u202e: cannot be read\n"
    )
