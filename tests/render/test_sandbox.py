from __future__ import annotations

from clew.model.verdict import RunEnd
from clew.render.compare import compared
from clew.render.sandbox import board, executed, judged
from clew.render.style import Style
from tests.cli import samples, samples_sandbox

LOOK = Style(samples.NOW, lambda _: 0, 100, False)


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
        "  A  src/new.py  1.2 kB",
        "  M  src/app.py  1.2 kB → 3.4 kB, mode 0644 → 0755",
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
        "  update-2  ✔ npm test  exit 0, 2.1 s          +1 ~1  src/new.py added",
        "  remove    ✘ npm test  exit 0, 2.1 s          -1     src/new.py added",
        "  think                 timed out, 10 min 0 s",
        "  · The home directory and the rest of the disk are not isolated",
        "",
        "update-2 (given as update): npm update",
        "2 changes from 02020202 (before-auth · before the auth refactor) to 05050505 (npm update):",
        "  src/new.py added",
        "  Files",
        "    src/new.py added",
        "",
        "  A  src/new.py  1.2 kB",
        "  M  src/app.py  1.2 kB → 3.4 kB, mode 0644 → 0755",
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


def test_what_commands_print_and_are_called_is_hostile() -> None:
    outcome = samples_sandbox.RAN._replace(
        command=samples.HOSTILE, output=samples.HOSTILE, notes=(samples.HOSTILE,), exit_code=1
    )
    way = samples_sandbox.BOARD.attempts[0]._replace(outcome=outcome, name=samples.HOSTILE)
    shown = samples_sandbox.BOARD._replace(attempts=(way,), check=samples.HOSTILE)
    result = samples_sandbox.EXECUTED._replace(outcome=outcome)

    for lines in (board(shown, LOOK), executed(result, LOOK)):
        assert all(line.isprintable() for line in lines)
