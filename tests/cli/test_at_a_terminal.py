"""The real command with a person in front of it: a pseudo-terminal, and somebody who answers."""

from __future__ import annotations

import os
import pty
import subprocess
from select import select
from signal import Signals

import pytest

from clew.cli.exits import ExitCode
from tests.kit.running import Clew
from tests.kit.screen import ENTER, Seat

PATIENCE = 30


def converse(clew: Clew, answer: str | Signals, *words: str) -> tuple[int, str]:
    """Run a command at a terminal, answer its question, and return all that was on the screen."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        clew.command(*words),
        cwd=clew.workspace,
        env={**clew.environment(), "TERM": "xterm", "NO_COLOR": ""},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    screen = b""
    while b"Proceed?" not in screen and (piece := _read(ours)):
        screen += piece
    if isinstance(answer, Signals):
        process.send_signal(answer)
    else:
        os.write(ours, answer.encode())
    while piece := _read(ours):
        screen += piece
    os.close(ours)
    return process.wait(timeout=PATIENCE), screen.decode()


def _read(descriptor: int) -> bytes:
    ready, _, _ = select([descriptor], [], [], PATIENCE)
    assert ready, "the command neither writes nor ends"
    try:
        return os.read(descriptor, 4096)
    except OSError:  # what Linux says when the other side has gone
        return b""


@pytest.fixture
def changed(clew: Clew) -> Clew:
    (clew.workspace / "file").write_text("old")
    clew.save("before")
    (clew.workspace / "file").write_text("newer")
    return clew


def test_a_no_changes_nothing(changed: Clew) -> None:
    code, screen = converse(changed, "n\n", "undo")

    assert code == ExitCode.UNCONFIRMED
    assert "overwrite or delete 1 file written by hand" in screen
    assert "Nothing was changed" in screen
    assert (changed.workspace / "file").read_text() == "newer"


def test_a_yes_goes_ahead(changed: Clew) -> None:
    code, screen = converse(changed, "y\n", "undo")

    assert code == ExitCode.DONE
    assert "Now at " in screen
    assert (changed.workspace / "file").read_text() == "old"


def test_an_interrupt_instead_of_an_answer_changes_nothing(changed: Clew) -> None:
    code, screen = converse(changed, Signals.SIGINT, "restore", "@")

    assert code == ExitCode.INTERRUPTED
    assert "Interrupted" in screen
    assert "Traceback" not in screen
    assert (changed.workspace / "file").read_text() == "newer"


def test_what_the_current_checkpoint_holds_is_overwritten_without_a_question(clew: Clew) -> None:
    for text in ("first", "second"):
        (clew.workspace / "file").write_text(text)
        clew.save(text)
    with Seat(clew, "restore", "@~1") as seat:
        code = seat.leave()

    assert code == ExitCode.DONE
    assert "has all of it (1 replaced); `clew undo` reverses this" in seat.text
    assert (clew.workspace / "file").read_text() == "first"


def test_a_file_that_a_program_has_open_is_asked_about(clew: Clew) -> None:
    for text in ("first", "second"):
        (clew.workspace / "file").write_text(text)
        clew.save(text)
    with open(clew.workspace / "file"), Seat(clew, "restore", "@~1") as seat:
        seat.see("affect 1 running program")
        seat.see("Proceed?")
        seat.type("n" + ENTER)
        code = seat.leave()

    assert code == ExitCode.UNCONFIRMED
    assert (clew.workspace / "file").read_text() == "second"


def test_always_and_never_are_obeyed(clew: Clew) -> None:
    (clew.workspace / "file").write_text("first")
    clew.save("first")
    (clew.workspace / "file").write_text("unsaved")
    clew.ok("config", "set", "restore.ask", "never")
    with Seat(clew, "restore", "@") as seat:
        assert seat.leave() == ExitCode.DONE
    clew.ok("config", "set", "restore.ask", "always")
    with Seat(clew, "undo") as seat:
        seat.see("Proceed?")
        seat.type("y" + ENTER)
        assert seat.leave() == ExitCode.DONE

    assert (clew.workspace / "file").read_text() == "unsaved"


def test_adopting_asks_only_about_unsaved_files(clew: Clew) -> None:
    (clew.workspace / "file").write_text("first")
    clew.save("first")
    fork = clew.workspace.parent / "fork"
    clew.ok("fork", "@", str(fork))
    (fork / "file").write_text("second")
    (clew.workspace / "other").write_text("unsaved")
    with Seat(clew, "adopt", "fork") as seat:
        assert seat.leave() == ExitCode.DONE

    assert (clew.workspace / "file").read_text() == "second"
    assert (clew.workspace / "other").read_text() == "unsaved"
    assert "Not asking: " in seat.text
