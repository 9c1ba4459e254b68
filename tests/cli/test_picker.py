"""The picker at a real terminal: find, preview, restore, undo, and leave it as it was."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from clew.cli.exits import ExitCode
from clew.model.shorten import width_of
from tests.kit.running import Clew
from tests.kit.screen import CONTROL_C, DOWN, ENTER, ESCAPE, UP, Seat

BACK = "Any key shows the list again"
"""Shown after a command."""


@pytest.fixture
def story(clew: Clew) -> Clew:
    """Twelve checkpoints of one file, and unsaved work."""
    for number in range(12):
        (clew.workspace / "app.py").write_text(f"version = {number}\n")
        clew.save(f"step {number} of the migration")
    (clew.workspace / "app.py").write_text("unsaved = True\n")
    (clew.workspace / "notes.txt").write_text("only here\n")
    return clew


def app(clew: Clew) -> str:
    return (clew.workspace / "app.py").read_text()


def test_a_checkpoint_is_found_previewed_restored_and_undone(story: Clew) -> None:
    with Seat(story, "restore") as seat:
        seat.see("12 checkpoints")
        seat.type("/step 4")
        seat.see("1 of 12 checkpoints with 'step 4'")
        seat.see("app.py: ~version (+1 −1 lines)")
        seat.type(ENTER, "p")
        seat.see("not saved yet")
        seat.type(ENTER)
        seat.see("Proceed?")
        seat.type("y" + ENTER)
        seat.see(BACK)
        restored = app(story)
        seat.type(" ")
        seat.see("1 of 13 checkpoints")
        seat.type("u")
        seat.see("$ clew undo")
        seat.see("Proceed?")
        seat.type("y" + ENTER)
        seat.see(BACK)
        seat.type("q")
        code = seat.leave()
        cooked = seat.is_cooked

    assert restored == "version = 4\n"
    assert app(story) == "unsaved = True\n"
    assert (story.workspace / "notes.txt").read_text() == "only here\n"
    assert code == ExitCode.DONE
    assert cooked


def test_a_no_at_the_question_changes_nothing_and_comes_back(story: Clew) -> None:
    with Seat(story, "restore") as seat:
        seat.see("step 11")
        seat.type("j", "r")
        seat.see("Proceed? [y]es, [N]o, [i] choose files, [d]iff:")
        seat.type(ENTER)
        seat.see("Nothing was changed")
        seat.see(BACK)
        seat.type("x")
        seat.see("12 checkpoints in ")
        seat.type("q")
        seat.leave()

    assert app(story) == "unsaved = True\n"


def test_it_asks_even_about_what_a_checkpoint_holds(clew: Clew) -> None:
    """A key on a list is pressed more easily than a command is typed."""
    for text in ("first", "second"):
        (clew.workspace / "app.py").write_text(text)
        clew.save(text)
    with Seat(clew, "restore") as seat:
        seat.see("2 checkpoints")
        seat.type("j", ENTER)
        seat.see("Proceed?")
        seat.type("n" + ENTER)
        seat.see(BACK)
        seat.type("q")
        seat.leave()

    assert app(clew) == "second"


def test_keys_move_the_cursor_and_the_story_follows(story: Clew) -> None:
    with Seat(story, "restore", rows=10) as seat:
        seat.see("step 11 of the migration")
        for keys, expected in [
            ("j", 10), (DOWN, 9), ("k", 10), (UP, 11), ("G", 0), ("g", 11), (" ", 4),
        ]:  # fmt: skip
            seat.type(keys)
            beside = f"│ step {expected} of the migration"
            seat.see(beside)
        seat.type("?")
        seat.see("PageDown, PageUp, g, G")
        seat.type(ESCAPE)
        seat.see("│ step 4 of the migration")
        seat.type("q")
        assert seat.leave() == ExitCode.DONE


def test_escape_ends_a_search_that_finds_nothing(story: Clew) -> None:
    with Seat(story, "restore") as seat:
        seat.see("12 checkpoints")
        seat.type("/nowhere")
        seat.see("Nothing matches")
        seat.type(ENTER, ENTER)  # there is nothing to restore
        seat.type(ESCAPE)
        seat.see("step 3 of the migration")
        seat.type("q")
        assert seat.leave() == ExitCode.DONE

    assert app(story) == "unsaved = True\n"


def test_a_checkpoint_is_compared_forked_and_verified(story: Clew) -> None:
    story.ok("config", "set", "verify", "grep -q 10 app.py")
    fork = story.workspace.parent / "a fork"
    with Seat(story, "restore") as seat:
        seat.see("12 checkpoints")
        seat.type("j", "d")
        seat.see("$ clew diff ")
        seat.see("notes.txt")
        seat.see(BACK)
        seat.type(" ")
        seat.see("q quit")
        seat.type("f")
        seat.see("directory for the fork")
        seat.type(f"{fork}{ENTER}")
        seat.see("clew adopt")
        seat.see(BACK)
        seat.type(" ")
        seat.see("q quit")
        seat.type("v")
        seat.see("Command that checks it (Enter: grep -q 10 app.py)")
        seat.type(ENTER)
        seat.see("passing")
        seat.see(BACK)
        seat.type(" ")
        seat.see("✔ step 10 of the migration")
        seat.type("f")
        seat.see("directory for the fork")
        seat.type(ENTER)  # called off
        seat.see("q quit")
        seat.type("q")
        assert seat.leave() == ExitCode.DONE

    assert (fork / "app.py").read_text() == "version = 10\n"


@pytest.mark.parametrize("keys", [CONTROL_C, "/step" + CONTROL_C], ids=["list", "search"])
def test_an_interrupt_leaves_the_terminal_as_it_was(story: Clew, keys: str) -> None:
    with Seat(story, "restore") as seat:
        seat.see("12 checkpoints")
        seat.type(keys)
        code, cooked = seat.leave(), seat.is_cooked

    assert code == ExitCode.INTERRUPTED
    assert cooked
    assert seat.written.count(b"\x1b[?1049h") == seat.written.count(b"\x1b[?1049l") > 0
    assert b"Traceback" not in seat.written


def test_an_interrupt_of_a_command_comes_back_and_restores_nothing(story: Clew) -> None:
    with Seat(story, "restore") as seat:
        seat.see("12 checkpoints")
        seat.type("j", ENTER)
        seat.see("Proceed?")
        seat.type(CONTROL_C)
        seat.see("Interrupted")
        seat.see(BACK)
        seat.type(CONTROL_C)
        code, cooked = seat.leave(), seat.is_cooked

    assert (code, cooked) == (ExitCode.INTERRUPTED, True)
    assert app(story) == "unsaved = True\n"


@pytest.mark.parametrize("columns", [60, 80, 99, 100, 160])
def test_every_line_fits_and_ids_are_in_one_column(clew: Clew, columns: int) -> None:
    for intent in ("a short one", "変更された設定ファイルを元に戻す作業の記録" * 4, "word " * 60):
        (clew.workspace / "app.py").write_text(intent)
        clew.save(intent)
    ids = [found[:8] for found in clew.ids()]
    with Seat(clew, "restore", columns=columns) as seat:
        seat.see("a short one")
        rows = [line for line in seat.lines if line.startswith("●")]
        seat.type("q")
        seat.leave()

    assert len(rows) == 3
    assert {width_of(row[: row.index(found)]) for row, found in zip(rows, ids, strict=True)} == {
        (columns if columns < 100 else columns * 11 // 20) - 9
    }


def test_on_a_narrow_terminal_the_story_is_below(story: Clew) -> None:
    with Seat(story, "restore", columns=60, rows=24) as seat:
        seat.see("app.py: ~version (+1 −1 lines)")
        below = seat.lines.index("─" * 60)
        seat.resize(130, 24)
        seat.see("│ step 11 of the migration")
        seat.resize(60, 24)
        seat.see("─" * 60)
        seat.type("q")
        assert seat.leave() == ExitCode.DONE

    assert 10 <= below <= 13


def test_a_hostile_label_does_nothing_to_the_terminal(clew: Clew) -> None:
    (clew.workspace / "app.py").write_text("x")
    clew.save("evil \x1b[2J\x1b]0;owned\x07 \u202egnp.exe", "--description", "\x1b[31m red")
    with Seat(clew, "restore") as seat:
        seat.see("evil \\x1b[2J\\x1b]0;owned\\x07 \\u202egnp.exe")
        seat.see("\\x1b[31m red")
        seat.type("q")
        seat.leave()

    assert b"\x1b]0;owned" not in seat.written
    assert "\u202e".encode() not in seat.written


def test_without_a_terminal_a_checkpoint_must_be_named(story: Clew) -> None:
    ran = story.run("restore")

    assert ran.code == ExitCode.USAGE
    assert ran.err == ("Error: Missing argument: REF\nHint: See `clew restore --help`\n")
    assert story.error("restore")[0] == ExitCode.USAGE


@pytest.mark.parametrize("option", ["--yes", "--json", "--dry-run", "--keep-mine", "-i"])
def test_with_options_a_checkpoint_must_be_named(story: Clew, option: str) -> None:
    with Seat(story, "restore", option) as seat:
        assert seat.leave() == ExitCode.USAGE
    assert "Missing argument: REF" in seat.text


def test_without_a_checkpoint_there_is_nothing_to_pick(clew: Clew) -> None:
    clew.ok("init")
    with Seat(clew, "restore") as seat:
        assert seat.leave() == ExitCode.FAILED
    assert "No checkpoints yet: run `clew save`" in seat.text


def test_without_the_library_one_sentence_says_what_to_install(story: Clew, tmp_path: Path) -> None:
    """The interpreter is told that the package does not exist, as where it is not installed."""
    program = (
        "import sys; sys.modules['prompt_toolkit'] = None; sys.argv[0] = 'clew';"
        "from clew.app import main; main()"
    )
    with Seat(story, command=[sys.executable, "-c", program, "restore"]) as seat:
        assert seat.leave() == ExitCode.FAILED
    assert "Error: Optional dependency not installed: prompt_toolkit" in seat.text
    assert "Hint: Install it with `pip install 'prompt_toolkit'`" in seat.text


def test_no_other_command_imports_the_library(story: Clew) -> None:
    program = (
        "import sys; from clew.app import run; run(sys.argv[1:]);"
        "sys.exit('prompt_toolkit' in sys.modules or 'asyncio' in sys.modules)"
    )
    for words in (["save"], ["log"], ["status"], ["restore", "@~1", "--dry-run"]):
        with Seat(story, command=[sys.executable, "-c", program, *words]) as seat:
            assert seat.leave() == 0, words
