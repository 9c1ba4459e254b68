"""Server probe: start a server and request a URL until it answers with success.

A second process sends the requests, so that the server's output is read meanwhile.
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
"""Time limit of one request, in seconds; a server that accepts and stays silent is asked again."""
_PIECE = 4096


class Prober:
    """A child process that requests a URL again and again until it is killed."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._partial = b""
        # The process that follows a command was forked and has one thread.
        self._child = Child(partial(_request_repeatedly, url), must_fork=True)
        self.answers = self._child.output

    def __enter__(self) -> Prober:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.end()

    def take(self) -> list[str]:
        """Wait for answers, and return them: each a status code or an error message."""
        piece = os.read(self.answers, _PIECE)
        if not piece:
            raise ClewError("A child process was killed")
        *lines, self._partial = (self._partial + piece).split(b"\n")
        return [line.decode("utf-8", "replace") for line in lines]


def probe(
    started: Started, asker: Prober, timeout: float | None, interrupts: Interrupts
) -> CommandResult:
    """Read a server's output and its answers until one is a success, or it exits or times out."""
    answers = ProbeLog(asker.url)
    deadline = None if timeout is None else time.monotonic() + timeout
    with OutputReader(started, interrupts) as reader:
        how = CALLED
        while how == CALLED and not answers.are_good:
            left = None if deadline is None else deadline - time.monotonic()
            how = reader.hear_out(left, called=asker.answers)
            for answer in asker.take() if how == CALLED else ():
                reader.add(answers.record(answer))
        code = reader.finish(asked_to_end=how != RunEnd.EXITED)
        reader.add(answers.error_line())
    how, exit_status = answers.verdict(how, code)
    return CommandResult(how, exit_status, reader.kept, reader.duration_ns)


class ProbeLog:
    """The answers so far, and the lines about them in the output."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._status: int | None = None
        self._error = ""
        self._reported: set[int] = set()

    @property
    def are_good(self) -> bool:
        return self._status is not None and 200 <= self._status < 300

    def record(self, answer: str) -> bytes:
        """Record an answer; return a line about it if its status is new."""
        if not answer.isdigit():  # errors are normal while the server starts
            self._error = answer
            return b""
        self._status = int(answer)
        if self._status in self._reported:
            return b""
        self._reported.add(self._status)
        return self._line(answer)

    def error_line(self) -> bytes:
        """Return a line with the last error if there was no answer at all."""
        return self._line(self._error) if self._status is None and self._error else b""

    def verdict(self, how: str, code: int) -> tuple[str, int | None]:
        """Return the end of the run and its exit code."""
        if self.are_good:
            return RunEnd.EXITED, 0
        if how == RunEnd.EXITED:
            return how, code or 1  # a server must keep running
        if how == RunEnd.TIMEOUT and self._status is not None:
            return RunEnd.EXITED, 1
        return how, None

    def _line(self, answer: str) -> bytes:
        return f"GET {self._url} → {answer}\n".encode()


# In the child process


def _request_repeatedly(url: str, writing: int) -> None:
    while True:
        answer = ask(url, _PATIENCE)
        words = str(answer.status or " ".join(answer.text.split()))
        os.write(writing, words.encode("utf-8", "replace") + b"\n")
        time.sleep(_PAUSE)
