"""Apart: a function runs in a forked process, and what it returns or raises comes back.

What the process does to itself (namespaces, mounts, another root) is gone with it.
It dies with us, is out of the terminal's reach, and never runs what we have put off to our own end.
Ctrl-C is handed on to it; the second one ends it.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

from clew.errors import ClewError
from clew.worktree.syscalls import die_with
from clew.worktree.wait_child import Interrupts, Waiting, hear_of_children

T = TypeVar("T")

_INTERRUPT = {signal.SIGINT}


class Apart(Generic[T]):
    """A function at work in a process of its own."""

    def __init__(self, body: Callable[[Interrupts], T]) -> None:
        """Start it; it is given the interrupts that are handed on."""
        self.was_interrupted = False
        """Whether a Ctrl-C was handed on."""
        # A file in memory and no pipe: whatever its size, nobody has to read while it is written.
        self._answer = os.memfd_create("clew-answer")
        hear_of_children()
        _flush()  # or both of us would write what waits to be written
        parent = os.getpid()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPT)  # until each can note it
        self._pid = os.fork()
        if not self._pid:
            _work(body, parent, mask, self._answer)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def result(self, interrupts: Interrupts) -> T:
        """Wait for its end, and return or raise what it did."""
        waiting = Waiting(self._pid, interrupts.call)
        try:
            while not waiting.is_over:
                waiting.wait(None)
                if interrupts.come():
                    self._hand_on()
        finally:
            waiting.close()
        answer = os.pread(self._answer, os.fstat(self._answer).st_size, 0)
        if not answer:
            raise ClewError("A process that worked for us was ended by somebody else")
        result: T = _read(answer)
        return result

    def end(self) -> None:
        """Leave nothing running and nothing open."""
        os.close(self._answer)
        os.kill(self._pid, signal.SIGKILL)  # ours until it is buried, so this reaches nobody else
        os.waitpid(self._pid, 0)

    def _hand_on(self) -> None:
        if self.was_interrupted:
            raise KeyboardInterrupt
        self.was_interrupted = True
        os.kill(self._pid, signal.SIGINT)


def apart(body: Callable[[Interrupts], T], interrupts: Interrupts) -> T:
    """Run `body` in a process of its own, and return or raise what it did."""
    helper = Apart(body)
    try:
        return helper.result(interrupts)
    finally:
        helper.end()


# In the forked process


def _work(body: Callable[[Interrupts], T], parent: int, mask: Any, answer: int) -> None:
    try:
        die_with(parent)
        os.setsid()
        interrupts = Interrupts()  # to our end
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        try:
            words = pickle.dumps((body(interrupts), None))
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent must hear of it
            words = _portrait(error)
        view = memoryview(words)
        while view:
            view = view[os.write(answer, view) :]
        _flush()
    finally:
        os._exit(0)  # the parent's files and connections are not ours to close


def _portrait(error: BaseException) -> bytes:
    """Write an error down so that it can be raised again by somebody else."""
    if isinstance(error, ClewError):
        # By its parts: it was made from other words than its message.
        with suppress(Exception):
            return pickle.dumps((None, (type(error), error.args, error.__dict__)))
    else:
        error.add_note(_trace(error))
        with suppress(Exception):
            words = pickle.dumps((None, error))
            pickle.loads(words)  # noqa: S301 - some errors can be written and not read
            return words
    return pickle.dumps((None, (ClewError, (f"{type(error).__name__}: {error}",), {})))


def _trace(error: BaseException) -> str:
    from traceback import format_exception

    return "In a process apart:\n" + "".join(format_exception(error))


def _read(answer: bytes) -> Any:
    result, error = pickle.loads(answer)  # noqa: S301 - from our own child
    if isinstance(error, tuple):
        kind, args, state = error
        error = kind.__new__(kind, *args)
        error.__dict__.update(state)
    if error is not None:
        raise error
    return result


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # none, broken, or closed
            stream.flush()
