"""The pager, with a person at a real terminal."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from clew.cli.exits import ExitCode
from clew.cli.pager import chosen_pager, open_pager
from clew.cli.progress import ProgressLine
from clew.cli.terminal import Terminal
from tests.cli.fakes import Stream
from tests.kit.pseudo_terminal import PATIENCE, PseudoTerminal
from tests.kit.running import Clew

FILES = 300
LAST = f"file-{FILES - 1}"
MARK = "sed 's/^/paged: /'"
"""A pager that leaves a mark on each line."""


@pytest.fixture
def much(clew: Clew) -> Clew:
    """A workspace whose last checkpoint added more files than a screen has lines."""
    clew.save("empty")
    for number in range(FILES):
        (clew.workspace / f"file-{number:03}").write_text("x")
    clew.save("many files")
    return clew


def at_terminal(clew: Clew, *words: str, columns: int = 80, **environ: str) -> PseudoTerminal:
    env = clew.environment()
    for name in ("NO_COLOR", "COLUMNS"):
        del env[name]
    return PseudoTerminal(
        clew.command(*words),
        cwd=clew.workspace,
        env={"TERM": "xterm", **env, **environ},
        columns=columns,
    )


def shown(clew: Clew, *words: str, columns: int = 80, **environ: str) -> str:
    """Return all that a command that needs no keys and succeeds shows at a terminal."""
    with at_terminal(clew, *words, columns=columns, **environ) as terminal:
        code, screen = terminal.end()
    assert code == ExitCode.DONE, screen
    return screen


LONG = ("diff", "@~1", "@", "--name-status")


def test_long_output_goes_to_less_which_q_leaves(much: Clew) -> None:
    with at_terminal(much, *LONG) as terminal:
        terminal.wait_for("file-010")
        terminal.wait_for("\n:")
        assert LAST not in terminal.screen
        terminal.type("q")
        code, screen = terminal.end()

        assert code == ExitCode.DONE
        assert LAST not in screen
        assert "Error" not in screen
        assert terminal.has_same_modes


def test_output_that_fits_on_the_screen_needs_no_key(much: Clew) -> None:
    assert "many files" in shown(much, "log")


def test_help_is_paged(clew: Clew) -> None:
    assert "paged: Usage" in shown(clew, "log", "--help", CLEW_PAGER=MARK)
    assert "paged: Usage" in shown(clew, "--help", CLEW_PAGER=MARK)
    assert "paged: Usage" not in shown(clew, "log", "--help", "--no-pager", CLEW_PAGER=MARK)


def test_no_pager_prints_everything_at_once(much: Clew) -> None:
    assert LAST in shown(much, *LONG, "--no-pager")
    assert LAST in shown(much, "--no-pager", *LONG, CLEW_PAGER=MARK)


@pytest.mark.parametrize(
    "environ",
    [
        {"PAGER": "cat"},
        {"PAGER": ""},
        {"CLEW_PAGER": "cat", "PAGER": MARK},
        {"CLEW_PAGER": "", "PAGER": MARK},
        {"TERM": "dumb", "PAGER": MARK},
    ],
)
def test_cat_or_nothing_is_no_pager(much: Clew, environ: dict[str, str]) -> None:
    much.extra |= environ
    screen = shown(much, *LONG)

    assert LAST in screen
    assert "paged" not in screen


@pytest.mark.parametrize(
    "pager",
    ["no-such-pager", "no-such-pager -R", "/no/such/pager", "A=1 no-such-pager", "./pager"],
)
def test_a_pager_that_is_missing_is_no_pager(much: Clew, pager: str) -> None:
    screen = shown(much, *LONG, PAGER=pager)

    assert screen.count(LAST) == 1
    assert screen.count("file-000") == 1
    assert "Error" not in screen


def test_a_pager_may_have_arguments_and_be_a_pipeline(much: Clew) -> None:
    screen = shown(much, *LONG, PAGER="sed 's/file/FILE/' | tail -n 2")

    assert "FILE-299" in screen
    assert "file-000" not in screen


def test_less_gets_the_options_of_git_unless_others_are_set(much: Clew) -> None:
    pager = 'echo "LESS=$LESS LV=$LV"; cat'

    assert "LESS=FRX LV=-c" in shown(much, *LONG, PAGER=pager)
    assert "LESS=M LV=-c" in shown(much, *LONG, PAGER=pager, LESS="M")


def test_colours_and_the_width_of_the_terminal_are_kept(much: Clew) -> None:
    plain = shown(much, "log", "--no-pager", columns=70)

    assert "\x1b[" in plain
    assert "^[[" in shown(much, "log", PAGER="cat -v")
    assert [*map(len, shown(much, "log", columns=70, PAGER="cat -u").splitlines())] == (
        [*map(len, plain.splitlines())]
    )


def test_neither_a_pipe_nor_json_is_paged(much: Clew) -> None:
    mark = much.workspace.parent / "started"
    much.extra |= {"CLEW_PAGER": f"touch {mark}", "TERM": "xterm"}
    much.ok(*LONG)
    shown(much, *LONG, "--json")

    assert not mark.exists()


def test_a_command_that_asks_is_not_paged(much: Clew) -> None:
    much.ok("config", "set", "restore.ask", "always")
    with at_terminal(much, "undo", CLEW_PAGER=MARK) as terminal:
        terminal.wait_for("Proceed?")
        terminal.type("n\n")
        code, screen = terminal.end()

    assert code == ExitCode.UNCONFIRMED
    assert "paged" not in screen


def test_nothing_in_the_workspace_is_run(much: Clew) -> None:
    for name in ("less", "pager"):
        program = much.workspace / name
        program.write_text("#!/bin/sh\necho HOSTILE\n")
        program.chmod(0o755)
    path = f".:{os.environ['PATH']}"

    assert "HOSTILE" not in shown(much, "log", PATH=path)
    assert "HOSTILE" not in shown(much, "log", PATH=path, PAGER="less -F")
    assert "HOSTILE" not in shown(much, "log", PAGER="./pager")
    assert "HOSTILE" not in shown(much, "log", PATH=path, PAGER="LESS=F less")


def test_a_pager_that_ends_early_changes_no_exit_code(much: Clew) -> None:
    assert "Error" not in shown(much, *LONG, CLEW_PAGER="true")


def test_ctrl_c_is_for_the_pager_once_everything_was_passed_on(much: Clew) -> None:
    with at_terminal(much, *LONG) as terminal:
        terminal.wait_for("\n:")
        terminal.type("\x03")
        terminal.wait_for(LAST, typing="G")
        code, _ = terminal.end(typing="q")

        assert code == ExitCode.DONE
        assert terminal.has_same_modes


def test_ctrl_c_ends_what_is_still_written_and_leaves_the_pager_to_the_user(clew: Clew) -> None:
    (clew.workspace / "big").write_text("a line\n" * 200_000)  # more than a pipe holds
    clew.save()
    with at_terminal(clew, "cat", "@", "big") as terminal:
        terminal.wait_for("\n:")
        terminal.type("\x03")
        terminal.wait_for("\x07")
        code, screen = terminal.end(typing="q")

        assert code == ExitCode.INTERRUPTED
        assert "Traceback" not in screen
        assert terminal.has_same_modes


@pytest.mark.parametrize(
    ("environ", "setting", "command"),
    [
        ({}, "auto", "less"),
        ({"PAGER": "more"}, "", ""),
        ({"PAGER": "more"}, "auto", "more"),
        ({"PAGER": "more"}, "most -s", "most -s"),
        ({"PAGER": "more"}, "off", ""),
        ({"PAGER": "more", "CLEW_PAGER": "lv"}, "most", "lv"),
        ({"CLEW_PAGER": "lv"}, "off", "lv"),
        ({"CLEW_PAGER": " cat "}, "most", ""),
        ({"PAGER": "cat"}, "most", "most"),
        ({"PAGER": "cat", "GIT_PAGER": "cat"}, "most", ""),
        ({"PAGER": "cat", "GIT_PAGER": "cat", "CLEW_PAGER": "lv"}, "auto", "lv"),
        ({"GIT_PAGER": "cat"}, "auto", "less"),
    ],
)
def test_the_first_pager_that_is_set_is_chosen(
    environ: dict[str, str], setting: str, command: str
) -> None:
    assert chosen_pager(environ, lambda: setting) == command


def test_each_line_reaches_the_pager_at_once(tmp_path: Path) -> None:
    out = tmp_path / "out"
    environ = {"TERM": "xterm", "CLEW_PAGER": f"cat > {out}", "PATH": os.environ["PATH"]}
    terminal = Terminal(Stream(), Stream(tty=True), Stream(), environ)
    pager = open_pager(terminal, lambda: "auto")
    assert pager is not None

    assert pager.write("first\n")
    deadline = time.monotonic() + PATIENCE
    while not out.exists() or not out.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)

    assert out.read_text() == "first\n"
    pager.close()


def test_messages_are_written_after_the_pager() -> None:
    stderr = Stream(tty=True)
    line = ProgressLine(stderr, draws=True, clock=lambda: 100.0)
    line.hurry()
    line.hold()
    line.progress("scan", 1, 2)
    line.notice("a pack is damaged")

    assert stderr.text == ""
    line.release()
    assert stderr.text == "a pack is damaged\n"
