"""Waiting for the end of a child process, and for Ctrl-C, side by side with anything else."""

from __future__ import annotations

import ctypes
import os
import select
import signal
from contextlib import suppress
from typing import Any

_libc = ctypes.CDLL(None)
_ALL = 1 << 16
_LOOK = 60.0
"""Seconds after which we look anyway."""
_BLINK = 10
"""Milliseconds between two looks at a process that the kernel cannot tell us about."""


def hear_of_children() -> None:
    """Have the kernel keep exit codes for us.

    Whoever started us may have asked it not to, by ignoring SIGCHLD; then every command would seem
    to have passed.
    """
    if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        _libc.signal(signal.SIGCHLD, 0)  # Python's own way is closed to all but the main thread


class Interrupts:
    """Ctrl-C, noted instead of raised: nothing is left half begun, whenever it comes.

    One that nobody asked about is raised in the end.
    Only the main thread is ever interrupted, and not if whoever started us wants none of it.
    """

    def __init__(self) -> None:
        self._before: Any = None
        self.call, self._calling = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        """`call` can be read when one has come."""
        if signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, None):
            with suppress(ValueError):  # not the main thread
                self._begin()

    def __enter__(self) -> Interrupts:
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.set_wakeup_fd(self._woken_before)
            signal.signal(signal.SIGINT, self._before)
        was_missed = self.come()
        os.close(self.call)
        os.close(self._calling)
        if was_missed:
            signal.raise_signal(signal.SIGINT)

    def come(self) -> bool:
        """Tell whether one has come since the last time somebody asked."""
        with suppress(BlockingIOError):
            return signal.SIGINT in os.read(self.call, _ALL)
        return False

    def _begin(self) -> None:
        # A handler of Python runs some time later, and not at all while we wait for something that
        # we have just begun to wait for.  So the signal itself, as a byte, is what wakes us.
        self._woken_before = signal.set_wakeup_fd(self._calling, warn_on_full_buffer=False)
        self._before = signal.signal(signal.SIGINT, lambda *_: None)


class Waiting:
    """Waits until a child ends, something can be read, or time is up."""

    def __init__(self, child: int, *readable: int) -> None:
        self._child = child
        self._poll = select.poll()
        for descriptor in readable:
            self.also_for(descriptor)
        self._ending: int | None = None
        with suppress(OSError):  # a kernel that has none, or more open files than we may have
            self._ending = os.pidfd_open(child)
            self.also_for(self._ending)

    def also_for(self, descriptor: int) -> None:
        self._poll.register(descriptor, select.POLLIN)

    def no_more_for(self, descriptor: int) -> None:
        with suppress(KeyError):
            self._poll.unregister(descriptor)

    @property
    def is_over(self) -> bool:
        """Tell whether the child has ended; it can still be buried."""
        look = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self._child, look) is not None
        except ChildProcessError:
            return True  # and is buried

    def wait(self, seconds: float | None) -> set[int]:
        """Return what can be read; nothing if it is about the child, or time."""
        patience: float | None = _BLINK
        if self._ending is not None:
            patience = None if seconds is None else min(seconds, _LOOK) * 1000 + 1
        return {descriptor for descriptor, _ in self._poll.poll(patience)}

    def close(self) -> None:
        if self._ending is not None:
            os.close(self._ending)
