from __future__ import annotations

import pytest

from clew.model.sandbox_results import ComparedPath
from clew.model.shorten import width_of
from clew.model.verdict import RunEnd
from clew.render.compare import compared
from clew.render.sandbox import board, executed, judged
from clew.render.style import Style
from tests.cli import samples, samples_sandbox


def at_width(width: int) -> Style:
    return Style(samples.NOW, lambda _: 0, width, False)


LOOK = at_width(100)


def test_a_check_says_where_it_ran_and_what_it_could_not_be_sure_of() -> None:
    assert list(judged(samples_sandbox.JUDGED, LOOK)) == [
        "●  04040404  checkpoint-4  11:00  ← here",
        "  ✘ npm test: failing, exit 1, 2.1 s",
        "    1 test failed",
        "  ran in a private copy with its own network",
        "  · The home directory and the rest of the disk are not isolated",
        "  · Not in the checkpoint: secrets/a (unreadable), tmp (excluded) and 1 more",
    ]


def test_a_command_says_how_it_ended_and_what_it_would_change() -> None:
    assert list(executed(samples_sandbox.EXECUTED, LOOK)) == [
        "npm update: exit 0, 2.1 s; the copy was discarded",
        "  · The home directory and the rest of the disk are not isolated",
        "2 changes since 02020202 (before-auth · before the auth refactor):",
        "  src/new.py added",
        "  Files",
        "    src/new.py added",
        "",
        "  M  src/app.py  1.2 kB → 3.4 kB, mode 0644 → 0755",
        "  A  src/new.py  1.2 kB",
    ]


def test_a_command_that_was_interrupted_changed_nothing_that_is_told() -> None:
    outcome = samples_sandbox.RAN._replace(end_reason=RunEnd.INTERRUPTED, exit_code=None, notes=())
    result = samples_sandbox.EXECUTED._replace(outcome=outcome, difference=None)

    assert list(executed(result, LOOK)) == [
        "npm update: interrupted, 2.1 s; the copy was discarded"
    ]


def test_a_board_is_a_table_and_then_each_way() -> None:
    assert list(board(samples_sandbox.BOARD, LOOK)) == [
        "3 attempts from 02020202 (before-auth · before the auth refactor), checked with npm test:",
        "  update-2  command exit 0, 2.1 s          ✔ check passing (exit 0)  +1 ~1  src/new.py added",
        "  remove    command exit 0, 2.1 s          ✘ check failing (exit 1)  -1     src/new.py added",
        "  think     command timed out, 10 min 0 s  check not run",
        "  · The home directory and the rest of the disk are not isolated",
        "",
        "update-2 (given as update): npm update",
        "2 changes from 02020202 (before-auth · before the auth refactor) to 05050505 (npm update):",
        "  src/new.py added",
        "  Files",
        "    src/new.py added",
        "",
        "  M  src/app.py  1.2 kB → 3.4 kB, mode 0644 → 0755",
        "  A  src/new.py  1.2 kB",
        "  `clew adopt update-2` merges it",
        "",
        "remove: rm -rf src",
        "1 change from 02020202 (before-auth · before the auth refactor) to 06060606 (rm -rf src):",
        "  src/new.py added",
        "  Files",
        "    src/new.py added",
        "",
        "  D  old.txt  1.2 kB",
        "    no tests found",
        "  `clew adopt remove` merges it",
        "",
        "think: sleep inf",
        "    hm",
    ]


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_board_on_a_narrow_terminal_has_some_lines_for_each_way(width: int) -> None:
    lines = list(board(samples_sandbox.BOARD, at_width(width)))

    assert lines[1:12] == [
        "  update-2",
        "      command exit 0, 2.1 s",
        "      ✔ check passing (exit 0)",
        "      +1 ~1  src/new.py added",
        "  remove",
        "      command exit 0, 2.1 s",
        "      ✘ check failing (exit 1)",
        "      -1  src/new.py added",
        "  think",
        "      command timed out, 10 min 0 s",
        "      check not run",
    ]


@pytest.mark.parametrize("width", range(40, 201, 10))
def test_no_line_of_a_board_is_wider_than_the_terminal(width: int) -> None:
    long = samples_sandbox.BOARD.attempts[1]._replace(fork="x" * 190)
    for attempts in (samples_sandbox.BOARD.attempts, (long,)):
        lines = list(board(samples_sandbox.BOARD._replace(attempts=attempts), at_width(width)))
        rows = lines[1 : lines.index("  · " + samples_sandbox.HOME_IS_LIVE)]

        assert max(map(width_of, rows)) <= width


@pytest.mark.parametrize(
    ("end", "exit_code", "shown"),
    [
        (RunEnd.EXITED, 2, "✘ check failing (exit 2)"),
        (RunEnd.TIMEOUT, None, "? check timed out"),
        (RunEnd.SKIPPED, 125, "? check skipped"),
        (RunEnd.FAILED, None, "? check could not be started"),
    ],
)
def test_the_result_of_the_check_is_told_from_that_of_the_command(
    end: str, exit_code: int | None, shown: str
) -> None:
    attempt = samples_sandbox.BOARD.attempts[0]
    assert attempt.verdict is not None
    verdict = attempt.verdict._replace(end_reason=end, exit_code=exit_code)
    found = samples_sandbox.BOARD._replace(attempts=(attempt._replace(verdict=verdict),))

    assert f"  command exit 0, 2.1 s  {shown}  " in list(board(found, LOOK))[1]


def test_a_board_without_a_check_says_so() -> None:
    attempt = samples_sandbox.BOARD.attempts[0]._replace(verdict=None)
    found = samples_sandbox.BOARD._replace(check="", attempts=(attempt,))

    assert list(board(found, LOOK))[:2] == [
        "1 attempt from 02020202 (before-auth · before the auth refactor):",
        "  update-2  command exit 0, 2.1 s  no check  +1 ~1  src/new.py added",
    ]


def test_a_comparison_begins_with_what_cannot_be_had_together() -> None:
    assert list(compared(samples_sandbox.COMPARISON, LOOK)) == [
        "Since 02020202 (before-auth · before the auth refactor):",
        "  update-2  ✔ npm test  +1 ~1  src/new.py added",
        f"  @         ✘ npm test  ~2     {samples.STORY.headline[:68]}…",
        "",
        "Changed by update-2 and @, differently:",
        "  D/M  torn",
        "",
        "Changed by update-2 only:",
        "  A  mine",
        "",
        "Changed by @ only:",
        "  m  other\\xff",
        "",
        "Changed by update-2 and @, identically:",
        "  M  alike",
    ]


def test_a_comparison_counts_generated_paths() -> None:
    paths = [ComparedPath(b"app.py", ("modified", None), False)]
    paths += [
        ComparedPath(b"web/%b/%d.js" % (place, number), ("added", None), False)
        for place in (b"node_modules", b"build")
        for number in range(30)
    ]
    found = samples_sandbox.COMPARISON._replace(paths=tuple(paths), generated=(b"web/build",))

    assert list(compared(found, LOOK))[4:] == [
        "Changed by update-2 only:",
        "  M  app.py",
        "     web/build/  30 paths",
        "     web/node_modules/  30 paths",
        "  `--all` lists all 61 paths",
    ]
    assert len(list(compared(found, LOOK, everything=True))) == 5 + 61


def test_what_commands_print_and_are_called_is_hostile() -> None:
    outcome = samples_sandbox.RAN._replace(
        command=samples.HOSTILE, output=samples.HOSTILE, notes=(samples.HOSTILE,), exit_code=1
    )
    way = samples_sandbox.BOARD.attempts[0]._replace(outcome=outcome, name=samples.HOSTILE)
    shown = samples_sandbox.BOARD._replace(attempts=(way,), check=samples.HOSTILE)
    result = samples_sandbox.EXECUTED._replace(outcome=outcome)

    for lines in (board(shown, LOOK), executed(result, LOOK)):
        assert all(line.isprintable() for line in lines)
