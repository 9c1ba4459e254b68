"""Several pieces of work, each in a process of its own: what goes wrong with one is its own affair.

At most so many run at a time.
An interrupt is passed on to all of them, once, and they are waited for; a second one ends them.
If we die they die, and nothing is left running when `run_independently` returns or raises.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

from clew.model.named_tuple import NamedTuple
from clew.worktree.syscalls import die_with

T = TypeVar("T")

INTERRUPTED = "Interrupted"
_PIECE = 1 << 20


class Came(NamedTuple, Generic[T]):
    """What came of one piece of work."""

    value: T | None
    """None where it failed."""
    problem: str = ""
    """Why it failed, in words; empty if it did not."""


class Together(NamedTuple, Generic[T]):
    """What came of all of them, in their order."""

    results: tuple[Came[T], ...]
    was_interrupted: bool


def run_independently(tasks: Sequence[Callable[[], T]], at_once: int) -> Together[T]:
    """Run every task in a forked process and return what came of each; values are pickled."""
    waiting = list(enumerate(tasks))[::-1]
    running: dict[int, _Child] = {}
    results: dict[int, Came[T]] = {}
    interrupts = 0
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                number, task = waiting.pop()
                running[number] = _start(task)
            try:
                ready = _wait(running)
            except KeyboardInterrupt:
                interrupts += 1
                results |= {number: Came(None, INTERRUPTED) for number, _ in waiting}
                waiting = []
                for child in running.values():
                    child.signal(signal.SIGINT if interrupts == 1 else signal.SIGKILL)
                continue
            for number in ready:
                if running[number].hear():
                    results[number] = running.pop(number).result()
    finally:
        for child in running.values():
            child.end()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return Together(tuple(results[number] for number in range(len(tasks))), bool(interrupts))


def _wait(running: dict[int, _Child]) -> list[int]:
    """Return who has something to say; the only place where an interrupt finds us."""
    by_descriptor = {child.reading: number for number, child in running.items()}
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        ready, _, _ = select.select(list(by_descriptor), [], [])
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    return [by_descriptor[descriptor] for descriptor in ready]


def _start(task: Callable[[], T]) -> _Child:
    reading, writing = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid:
        os.close(writing)
        return _Child(pid, reading)
    status = 1
    try:
        os.close(reading)
        die_with(parent)
        os.setpgid(0, 0)  # what a terminal sends reaches us by way of the parent, and once
        _write_all(writing, pickle.dumps(_done(task)))
        status = 0
    finally:
        os._exit(status)  # the parent's files and connections are not ours to close


def _done(task: Callable[[], T]) -> Came[T]:
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        return Came(task())
    except KeyboardInterrupt:
        return Came(None, INTERRUPTED)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the parent must hear of it
        return Came(None, str(error) or type(error).__name__)


class _Child:
    """A forked process, seen from the parent."""

    def __init__(self, pid: int, reading: int) -> None:
        self._pid = pid
        self.reading = reading
        self._heard = bytearray()

    def hear(self) -> bool:
        """Take what it says; tell whether that was all."""
        piece = os.read(self.reading, _PIECE)
        self._heard += piece
        return not piece

    def result(self) -> Came[T]:
        """Bury it and return what it said."""
        self.end()
        try:
            found: Came[T] = pickle.loads(self._heard)  # noqa: S301 - from our own child
        except (EOFError, pickle.UnpicklingError):
            return Came(None, "It was killed")
        return found

    def signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._pid, number)

    def end(self) -> None:
        """Leave nothing running and nothing open."""
        if self.reading < 0:
            return
        os.close(self.reading)
        self.reading = -1
        self.signal(signal.SIGKILL)
        os.waitpid(self._pid, 0)


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
