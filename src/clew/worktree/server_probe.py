"""Probing: a server is good when it answers a question; it is asked until it does.

A second process asks, so that the server's own words are heard meanwhile.
"""

from __future__ import annotations

import os
import time
from functools import partial

from clew.errors import ClewError
from clew.model.verdict import RunEnd
from clew.worktree.child_process import Child
from clew.worktree.http_probe import ask
from clew.worktree.run_command import CALLED, CommandResult, OutputReader, Started
from clew.worktree.wait_child import Interrupts

_PAUSE = 0.1
_PATIENCE = 10.0
"""Seconds that one answer may take; somebody who accepts and says nothing is asked again."""
_PIECE = 4096


class Asker:
    """A process that goes on asking until it is ended."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._begun = b""
        # The process that follows a command was forked and has one thread.
        self._child = Child(partial(_ask_on, url), must_fork=True)
        self.answers = self._child.output

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.end()

    def take(self) -> list[str]:
        """Return the answers that have come, a status or what went wrong; waits for one."""
        piece = os.read(self.answers, _PIECE)
        if not piece:
            raise ClewError("A child process was killed")
        *lines, self._begun = (self._begun + piece).split(b"\n")
        return [line.decode("utf-8", "replace") for line in lines]


def probe(
    started: Started, asker: Asker, timeout: float | None, interrupts: Interrupts
) -> CommandResult:
    """Listen to a server and to who asks it, until it gives a good answer, or cannot any more."""
    answers = Answers(asker.url)
    deadline = None if timeout is None else time.monotonic() + timeout
    with OutputReader(started, interrupts) as listener:
        how = CALLED
        while how == CALLED and not answers.are_good:
            left = None if deadline is None else deadline - time.monotonic()
            how = listener.hear_out(left, called=asker.answers)
            for answer in asker.take() if how == CALLED else ():
                listener.add(answers.note(answer))
        code = listener.finish(asked_to_end=how != RunEnd.EXITED)
        listener.add(answers.last_word())
    how, told = answers.verdict(how, code)
    return CommandResult(how, told, listener.kept, listener.duration_ns)


class Answers:
    """What was answered so far: a status each time, or what went wrong."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._status: int | None = None
        self._trouble = ""
        self._told: set[int] = set()

    @property
    def are_good(self) -> bool:
        return self._status is not None and 200 <= self._status < 300

    def note(self, answer: str) -> bytes:
        """Keep an answer, and return a line about it if it is news."""
        if not answer.isdigit():  # as long as it starts that is no news
            self._trouble = answer
            return b""
        self._status = int(answer)
        if self._status in self._told:
            return b""
        self._told.add(self._status)
        return self._line(answer)

    def last_word(self) -> bytes:
        """Return a line about why there was no answer, if there was none."""
        return self._line(self._trouble) if self._status is None and self._trouble else b""

    def verdict(self, how: str, code: int) -> tuple[str, int | None]:
        """Return how all of it ended, and with which exit code."""
        if self.are_good:
            return RunEnd.EXITED, 0
        if how == RunEnd.EXITED:
            return how, code or 1  # a server that ends is none
        if how == RunEnd.TIMEOUT and self._status is not None:
            return RunEnd.EXITED, 1
        return how, None

    def _line(self, answer: str) -> bytes:
        return f"GET {self._url} → {answer}\n".encode()


# In the process that asks


def _ask_on(url: str, writing: int) -> None:
    while True:
        answer = ask(url, _PATIENCE)
        words = str(answer.status or " ".join(answer.text.split()))
        os.write(writing, words.encode("utf-8", "replace") + b"\n")
        time.sleep(_PAUSE)
