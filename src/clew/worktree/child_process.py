"""Child processes: start a function in a process of its own.

A fork copies one thread and every lock that the other threads hold, so a child forked from a
process with several threads can wait for ever.  A process with one thread forks; any other starts
a new Python (`spawned_child`).  Both kinds of child run the same code.

A child dies with its parent and never runs the parent's exit handlers.
This is the only module that forks.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from clew.worktree.syscalls import die_with

known_threads = 1
"""Threads that hold no lock when a child is forked.  A test runner with idle threads raises it."""

_EXITING = 20
_EXITING_PAUSE = 0.0005


def can_fork() -> bool:
    """Return whether this process has no thread that could hold a lock during a fork."""
    for _ in range(_EXITING):
        if kernel_threads() <= known_threads:
            return True
        if _thread._count() >= known_threads:
            return False
        time.sleep(_EXITING_PAUSE)  # a thread that was joined is still in the kernel's list
    return False


def fork(body: Callable[[], int | None]) -> int:
    """Run `body` in a forked child and return its pid; its return value is the exit code."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        status = body() or 0
    finally:
        os._exit(status)  # the parent's files and connections stay open


def start_child(
    body: Callable[[int], object],
    descriptor: int,
    *,
    must_fork: bool = False,
    preload: bool = False,
) -> int:
    """Run `body(descriptor)` in a child that dies with this process, and return its pid.

    Without `must_fork`, `body` must be picklable: a function of a module, or a `partial` of one.
    With `preload` a spawned child imports what this process has imported before it runs `body`.
    """
    parent = os.getpid()
    if must_fork or can_fork() or not sys.executable:
        return fork(partial(run_body, body, descriptor, parent))
    from clew.worktree.spawned_child import spawn  # a scan never needs it

    return spawn(body, parent, descriptor, preload=preload)


class Child:
    """A child process and the pipe that it writes to."""

    def __init__(self, body: Callable[[int], object], *, must_fork: bool = False) -> None:
        """Start `body`, which is given the writing end."""
        self.output, writing = os.pipe()
        try:
            self.pid = start_child(body, writing, must_fork=must_fork)
        except BaseException:
            os.close(self.output)
            raise
        finally:
            os.close(writing)
        self._is_ended = False

    def read_all(self) -> bytes:
        """Return everything that the child writes until it closes its end."""
        with os.fdopen(self.output, "rb", closefd=False) as file:
            return file.read()

    def signal(self, number: int) -> None:
        """Send a signal, unless the child has been waited for."""
        if not self._is_ended:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def is_out_of_time(self) -> bool:
        """Wait for a child that has closed its pipe; return whether its processor time ran out."""
        if self._is_ended:
            return False
        self._is_ended = True
        os.close(self.output)
        with suppress(ChildProcessError):
            status = os.waitpid(self.pid, 0)[1]
            return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
        return False

    def end(self) -> None:
        """Kill the child if it still runs, wait for it, and close the pipe."""
        if self._is_ended:
            return
        os.close(self.output)
        self.signal(signal.SIGKILL)
        self._is_ended = True
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def kernel_threads() -> int:
    """Return the number of threads of this process, also of those that C libraries started."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return _thread._count() + 1


def run_body(body: Callable[[int], object], descriptor: int, parent: int) -> int:
    """Run `body` in this process, which is the child."""
    die_with(parent)
    body(descriptor)
    return 0
