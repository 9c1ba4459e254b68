"""Running: a command that somebody else wrote, its output read while it runs, and never for longer.

It gets a session of its own and reads nothing from us.
Only the end of what it says is kept.
It has ended when its first process has: a server that it left behind holds the pipe open, and nobody
waits for that.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from clew.model.named_tuple import NamedTuple
from clew.model.verdict import RunEnd
from clew.worktree.wait_child import Interrupts, Waiting, hear_of_children

OUTPUT_KEPT = 128 << 10
CALLED = "called"
"""Somebody who listens as well has something to say."""
GRACE = 1.0
"""Seconds that a command has to end by itself once it was asked to."""
_PIECE = 64 << 10

Watch = Callable[[bytes], None]
"""Told what a command says, as it says it."""


class Ran(NamedTuple):
    """What became of a command."""

    how: str
    """One of `Ended`."""
    exit_code: int | None
    """Only if it ended by itself; 128 and the number of the signal that killed it."""
    output: bytes
    """The end of what it wrote, to stdout and stderr together."""
    duration_ns: int


class Started(Protocol):
    """A command that runs, however it was started."""

    @property
    def pid(self) -> int:
        """Our child: with its end the command has ended."""

    @property
    def output(self) -> int:
        """Where what it says can be read."""

    def terminate(self) -> None:
        """Ask it to end, and what it started."""

    def kill(self) -> None:
        """End it, and what it started."""

    def wait(self) -> int:
        """Return its exit code once it has ended."""


def run_command(
    command: Sequence[str | bytes],
    directory: bytes,
    *,
    timeout: float | None,
    environment: Mapping[bytes, bytes] | None = None,
    watch: Watch | None = None,
) -> Ran:
    """Run a command to its end, or until time is up or somebody interrupts us."""
    hear_of_children()
    with Interrupts() as interrupts:
        try:
            process = subprocess.Popen(
                command,
                cwd=directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return could_not_start(error)
        return follow(_ProcessGroup(process), timeout, interrupts, watch)


def could_not_start(error: OSError) -> Ran:
    """Return the end of a command that had no beginning."""
    what = f": {os.fsdecode(error.filename)!r}" if error.filename else ""
    return Ran(RunEnd.FAILED, None, f"{error.strerror}{what}\n".encode(), 0)


def follow(
    started: Started, timeout: float | None, interrupts: Interrupts, watch: Watch | None = None
) -> Ran:
    """Read what a command says until it has ended, and see to it that it does."""
    with Listener(started, interrupts, watch) as listener:
        how = listener.hear_out(timeout)
        code = listener.finish(asked_to_end=how != RunEnd.EXITED)
    return Ran(how, code if how == RunEnd.EXITED else None, listener.kept, listener.duration_ns)


def exit_code(status: int) -> int:
    """Return the exit code as a shell would say it, from what `waitpid` says."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


class Listener:
    """Keeps the last bytes that a command says, and knows when it has ended."""

    def __init__(
        self, started: Started, interrupts: Interrupts, watch: Watch | None = None
    ) -> None:
        self.kept = b""
        self.duration_ns = 0
        self._clock = time.monotonic_ns()
        self._started = started
        self._interrupts = interrupts
        self._watch = watch
        os.set_blocking(started.output, False)
        self._waiting = Waiting(started.pid, started.output, interrupts.call)

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._waiting.is_over:  # something went wrong with us
            self._started.kill()
            self._started.wait()
        self._waiting.close()
        os.close(self._started.output)

    def hear_out(self, timeout: float | None, called: int | None = None) -> str:
        """Listen until the end, or until it must end, and tell which: one of `Ended`, or `CALLED`.

        A call is something to read in the descriptor `called`.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        if called is not None:
            self._waiting.also_for(called)
        while not self._waiting.is_over:
            if self._interrupts.come():
                return RunEnd.INTERRUPTED
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return RunEnd.TIMEOUT
            ready = self._waiting.wait(left)
            if self._started.output in ready:
                self._take(_PIECE)
            if called in ready:
                return CALLED
        return RunEnd.EXITED

    def finish(self, *, asked_to_end: bool) -> int:
        """Bring it to its end, take its last words, and return its exit code."""
        if asked_to_end:
            self._started.terminate()
            self.hear_out(GRACE)  # unless somebody is more impatient
            self._started.kill()
        code = self._started.wait()
        self.duration_ns = time.monotonic_ns() - self._clock
        # No more than a pipe holds: others may go on writing to it.
        left = fcntl.fcntl(self._started.output, fcntl.F_GETPIPE_SZ)
        while left > 0 and (taken := self._take(left)):
            left -= taken
        return code

    def add(self, words: bytes) -> None:
        """Keep words of our own among those of the command."""
        if self._watch is not None and words:
            self._watch(words)
        self.kept = (self.kept + words)[-OUTPUT_KEPT:]

    def _take(self, most: int) -> int:
        """Take what there is, and return how much that was."""
        try:
            piece = os.read(self._started.output, most)
        except BlockingIOError:
            return 0
        if not piece:
            self._waiting.no_more_for(self._started.output)
        self.add(piece)
        return len(piece)


class _ProcessGroup:
    """A command in our own surroundings, with all that shares its process group."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        self._process = process
        self.pid = process.pid
        self.output = os.dup(process.stdout.fileno())
        process.stdout.close()

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def wait(self) -> int:
        code = self._process.wait()
        return code if code >= 0 else 128 - code

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)
