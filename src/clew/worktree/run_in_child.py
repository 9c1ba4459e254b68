"""Run in child: call a function in a child process, and return its result or raise its error."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from clew.atomic_write import write_all
from clew.errors import ClewError
from clew.worktree.child_process import start_child
from clew.worktree.wait_child import Interrupts, Waiting, keep_exit_codes

T = TypeVar("T")

_INTERRUPT = {signal.SIGINT}


def run_in_child(
    function: Callable[[Interrupts], T], interrupts: Interrupts, *, must_fork: bool = False
) -> T:
    """Run `function` in a child process, and return its result or raise its error."""
    call = ChildCall(function, must_fork=must_fork)
    try:
        return call.result(interrupts)
    finally:
        call.end()


class ChildCall(Generic[T]):
    """A function that runs in a child process.

    The child is in a session of its own, so a terminal does not reach it.  The first Ctrl-C is
    passed on to it; the second one is raised here.
    """

    def __init__(
        self,
        function: Callable[[Interrupts], T],
        *,
        must_fork: bool = False,
        preload: bool = False,
    ) -> None:
        """Start it; the function is given the interrupts that are passed on."""
        self.was_interrupted = False
        """Whether a Ctrl-C was passed on."""
        # A file in memory, not a pipe: the child can write an answer of any size and exit.
        self._answer = os.memfd_create("clew-answer")
        keep_exit_codes()
        _flush()  # or both processes would write what is buffered
        # Until both processes record it instead of raising it.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPT)
        try:
            body = partial(_answer_call, function, tuple(mask))
            self._pid = start_child(body, self._answer, must_fork=must_fork, preload=preload)
        except BaseException:
            os.close(self._answer)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def result(self, interrupts: Interrupts) -> T:
        """Wait for the child, and return its result or raise its error."""
        waiting = Waiting(self._pid, interrupts.readable)
        try:
            while not waiting.is_over:
                waiting.wait(None)
                if interrupts.poll():
                    self._pass_on_interrupt()
        finally:
            waiting.close()
        answer = os.pread(self._answer, os.fstat(self._answer).st_size, 0)
        if not answer:
            raise ClewError("A child process was killed")
        result: T = _decode_answer(answer)
        return result

    def end(self) -> None:
        """Kill the child if it still runs, wait for it, and close the answer."""
        os.close(self._answer)
        os.kill(self._pid, signal.SIGKILL)  # not waited for yet, so the pid is still the child's
        os.waitpid(self._pid, 0)

    def _pass_on_interrupt(self) -> None:
        if self.was_interrupted:
            raise KeyboardInterrupt
        self.was_interrupted = True
        os.kill(self._pid, signal.SIGINT)


# In the child


def _answer_call(function: Callable[[Interrupts], Any], mask: Iterable[int], answer: int) -> None:
    os.setsid()
    interrupts = Interrupts()  # until the process ends
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        content = pickle.dumps((function(interrupts), None))
    except BaseException as error:  # noqa: BLE001 - the parent raises it, whatever it is
        content = _encode_error(error)
    write_all(answer, content)
    _flush()


def _encode_error(error: BaseException) -> bytes:
    """Pickle an error so that another process can raise it."""
    if isinstance(error, ClewError):
        # By its parts: its arguments are not its message.
        with suppress(Exception):
            return pickle.dumps((None, (type(error), error.args, error.__dict__)))
    else:
        error.add_note(_trace(error))
        with suppress(Exception):
            content = pickle.dumps((None, error))
            pickle.loads(content)  # noqa: S301 - some errors can be pickled and not unpickled
            return content
    return pickle.dumps((None, (ClewError, (f"{type(error).__name__}: {error}",), {})))


def _trace(error: BaseException) -> str:
    from traceback import format_exception

    return "In a child process:\n" + "".join(format_exception(error))


def _decode_answer(answer: bytes) -> Any:
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
