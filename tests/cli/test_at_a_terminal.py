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
    assert "replace 1 path" in screen
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
