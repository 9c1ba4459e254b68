"""Independent tasks, each in a child process of its own: a failure affects one task only.

A limited number runs at a time.
An interrupt is passed on to all children once, and they are waited for; a second one kills them.
Children die with this process, and none runs when `run_independently` returns or raises.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

from clew.atomic_write import write_all
from clew.model.named_tuple import NamedTuple
from clew.worktree.child_process import Child

T = TypeVar("T")

INTERRUPTED = "Interrupted"
_PIECE = 1 << 20


class TaskResult(NamedTuple, Generic[T]):
    """The result of one task."""

    value: T | None
    """None where it failed."""
    problem: str = ""
    """Why it failed; empty if it did not."""


class TaskResults(NamedTuple, Generic[T]):
    """The results of all tasks, in their order."""

    results: tuple[TaskResult[T], ...]
    was_interrupted: bool


def run_independently(tasks: Sequence[Callable[[], T]], at_once: int) -> TaskResults[T]:
    """Run every task in a child process and return the results, which are pickled.

    Where this process has several threads, the tasks are pickled too.
    """
    waiting = list(enumerate(tasks))[::-1]
    running: dict[int, _Running[T]] = {}
    results: dict[int, TaskResult[T]] = {}
    interrupts = 0
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                number, task = waiting.pop()
                running[number] = _Running(task)
            try:
                ready = _wait(running)
            except KeyboardInterrupt:
                interrupts += 1
                results |= {number: TaskResult(None, INTERRUPTED) for number, _ in waiting}
                waiting = []
                for one in running.values():
                    one.child.signal(signal.SIGINT if interrupts == 1 else signal.SIGKILL)
                continue
            for number in ready:
                if running[number].receive():
                    results[number] = running.pop(number).result()
    finally:
        for one in running.values():
            one.child.end()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return TaskResults(tuple(results[number] for number in range(len(tasks))), bool(interrupts))


def _wait(running: dict[int, _Running[T]]) -> list[int]:
    """Return the tasks that can be read from; interrupts are unblocked only here."""
    by_descriptor = {one.child.output: number for number, one in running.items()}
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        ready, _, _ = select.select(list(by_descriptor), [], [])
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    return [by_descriptor[descriptor] for descriptor in ready]


def _run_task(task: Callable[[], T], writing: int) -> None:
    os.setpgid(0, 0)  # a terminal's signal arrives once, by way of the parent
    write_all(writing, pickle.dumps(_outcome(task)))


def _outcome(task: Callable[[], T]) -> TaskResult[T]:
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        return TaskResult(task())
    except KeyboardInterrupt:
        return TaskResult(None, INTERRUPTED)
    except BaseException as error:  # noqa: BLE001 - the parent reports it, whatever it is
        return TaskResult(None, str(error) or type(error).__name__)


class _Running(Generic[T]):
    """A task in its child process."""

    def __init__(self, task: Callable[[], T]) -> None:
        self.child = Child(partial(_run_task, task))
        self._received = bytearray()

    def receive(self) -> bool:
        """Read a piece of the result; return whether it was complete before."""
        piece = os.read(self.child.output, _PIECE)
        self._received += piece
        return not piece

    def result(self) -> TaskResult[T]:
        """Wait for the child and return its result."""
        self.child.end()
        try:
            found: TaskResult[T] = pickle.loads(self._received)  # noqa: S301 - from our own child
        except (EOFError, pickle.UnpicklingError):
            return TaskResult(None, "It was killed")
        return found
