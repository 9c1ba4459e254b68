"""Command execution: runs a user's command and reads its output while it runs.

The command gets its own session and an empty standard input.
Only the end of its output is retained.
It has ended when its first process has: a server that it left running holds the pipe open, and the
reader does not wait for that.
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
from clew.worktree.wait_child import Interrupts, Waiting, keep_exit_codes

OUTPUT_KEPT = 128 << 10
CALLED = "called"
"""The additional descriptor is readable."""
GRACE = 1.0
"""Seconds between SIGTERM and SIGKILL."""
_PIECE = 64 << 10

Watch = Callable[[bytes], None]
"""Called with the output of a command as it arrives."""


class CommandResult(NamedTuple):
    """The result of a command."""

    how: str
    """One of `RunEnd`."""
    exit_code: int | None
    """Only if it exited; 128 plus the signal number if a signal killed it."""
    output: bytes
    """The end of its output, stdout and stderr together."""
    duration_ns: int


class Started(Protocol):
    """A running command, however it was started."""

    @property
    def pid(self) -> int:
        """Our child process: the command has ended when it has."""

    @property
    def output(self) -> int:
        """The read end of its output."""

    def terminate(self) -> None:
        """Ask it and its children to end."""

    def kill(self) -> None:
        """Kill it and its children."""

    def wait(self) -> int:
        """Wait until it has ended and return its exit code."""


def run_command(
    command: Sequence[str | bytes],
    directory: bytes,
    *,
    timeout: float | None,
    environment: Mapping[bytes, bytes] | None = None,
    watch: Watch | None = None,
) -> CommandResult:
    """Run a command until it exits, the time limit expires, or the user interrupts."""
    keep_exit_codes()
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


def could_not_start(error: OSError) -> CommandResult:
    """Return the result of a command that could not be started."""
    what = f": {os.fsdecode(error.filename)!r}" if error.filename else ""
    return CommandResult(RunEnd.FAILED, None, f"{error.strerror}{what}\n".encode(), 0)


def follow(
    started: Started, timeout: float | None, interrupts: Interrupts, watch: Watch | None = None
) -> CommandResult:
    """Read the output of a command until it has ended; terminate it if necessary."""
    with OutputReader(started, interrupts, watch) as listener:
        how = listener.hear_out(timeout)
        code = listener.finish(asked_to_end=how != RunEnd.EXITED)
    return CommandResult(
        how, code if how == RunEnd.EXITED else None, listener.kept, listener.duration_ns
    )


def exit_code(status: int) -> int:
    """Return the exit code, as a shell reports it, for a status of `waitpid`."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


class OutputReader:
    """Collects the end of a command's output until the command has ended."""

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
        self._waiting = Waiting(started.pid, started.output, interrupts.readable)

    def __enter__(self) -> OutputReader:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._waiting.is_over:  # an exception in this process
            self._started.kill()
            self._started.wait()
        self._waiting.close()
        os.close(self._started.output)

    def hear_out(self, timeout: float | None, called: int | None = None) -> str:
        """Read until the command ends or must end; return a `RunEnd` value or `CALLED`.

        `CALLED` means that the descriptor `called` is readable.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        if called is not None:
            self._waiting.add(called)
        while not self._waiting.is_over:
            if self._interrupts.poll():
                return RunEnd.INTERRUPTED
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return RunEnd.TIMEOUT
            ready = self._waiting.wait(left)
            if self._started.output in ready:
                self._read_available(_PIECE)
            if called in ready:
                return CALLED
        return RunEnd.EXITED

    def finish(self, *, asked_to_end: bool) -> int:
        """Wait for the command, terminating it if asked; return its exit code."""
        if asked_to_end:
            self._started.terminate()
            self.hear_out(GRACE)  # an interrupt ends this early
            self._started.kill()
        code = self._started.wait()
        self.duration_ns = time.monotonic_ns() - self._clock
        # No more than a pipe holds: other processes may still write to it.
        left = fcntl.fcntl(self._started.output, fcntl.F_GETPIPE_SZ)
        while left > 0 and (taken := self._read_available(left)):
            left -= taken
        return code

    def add(self, words: bytes) -> None:
        """Append `words` to the output."""
        if self._watch is not None and words:
            self._watch(words)
        self.kept = (self.kept + words)[-OUTPUT_KEPT:]

    def _read_available(self, most: int) -> int:
        """Read the available output and return its length."""
        try:
            piece = os.read(self._started.output, most)
        except BlockingIOError:
            return 0
        if not piece:
            self._waiting.remove(self._started.output)
        self.add(piece)
        return len(piece)


class _ProcessGroup:
    """A command without a sandbox, and its process group."""

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
