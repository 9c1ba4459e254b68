"""Measurement: run commands, and return their time or memory.

Time is measured without sampling.
Memory is measured in a separate run, by sampling every few milliseconds: the sum over all processes
of the command, shared pages counted once, because a tool may be several processes.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import IO, NamedTuple

LOOK_SECONDS = 0.01
_SESSION_FIELD = 3  # of /proc/PID/stat, counted after the program's name


class Command(NamedTuple):
    """One command of a peer."""

    argv: Sequence[str]
    cwd: Path
    environ: Mapping[str, str]


class Run(NamedTuple):
    """The time and output of one or more commands."""

    seconds: float
    output: bytes


class CommandFailed(Exception):
    """A command of a peer failed, so its time is meaningless."""


def run(commands: Sequence[Command]) -> Run:
    """Run `commands` one after the other; the times add up."""
    seconds, outputs = 0.0, []
    for command in commands:
        with _started(command) as started:
            began = time.perf_counter()
            started.process.wait()
            seconds += time.perf_counter() - began + started.spawn_seconds
            outputs.append(started.finish())
    return Run(seconds, b"".join(outputs))


def watch(commands: Sequence[Command]) -> int:
    """Run `commands` and return their peak memory."""
    peak = 0
    for command in commands:
        with _started(command) as started:
            while started.process.poll() is None:
                peak = max(peak, _memory_of_session(started.process.pid))
                time.sleep(LOOK_SECONDS)
            started.finish()
    return peak


def settle() -> None:
    """Flush earlier writes to disk, so that no peer pays for the work of another."""
    os.sync()


def middle(runs: Sequence[Run]) -> float:
    """Return the median time."""
    return median(one.seconds for one in runs)


class _Started:
    """A running command, in its own session, with its output collected."""

    def __init__(self, command: Command, output: IO[bytes], errors: IO[bytes]) -> None:
        self._command = command
        self._output = output
        self._errors = errors
        began = time.perf_counter()
        self.process = subprocess.Popen(
            command.argv,
            cwd=command.cwd,
            env=dict(command.environ),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        self.spawn_seconds = time.perf_counter() - began

    def finish(self) -> bytes:
        """Return what it printed; a failure makes the whole benchmark fail."""
        self._output.seek(0)
        self._errors.seek(0)
        if self.process.returncode:
            tail = (self._errors.read() or self._output.read())[-2000:].decode(errors="replace")
            shown = " ".join(self._command.argv)
            raise CommandFailed(f"{shown}: exit code {self.process.returncode}\n{tail}")
        return self._output.read()


@contextmanager
def _started(command: Command) -> Iterator[_Started]:
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        yield _Started(command, output, errors)


def _memory_of_session(session: int) -> int:
    total = 0
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            # The name of the program may contain anything; it ends at the last bracket.
            fields = Path("/proc", name, "stat").read_bytes().rpartition(b")")[2].split()
            if int(fields[_SESSION_FIELD]) != session:
                continue
            for line in Path("/proc", name, "smaps_rollup").read_bytes().splitlines():
                if line.startswith(b"Pss:"):
                    total += int(line.split()[1]) * 1024
        except (OSError, IndexError):
            continue  # it has just ended
    return total
