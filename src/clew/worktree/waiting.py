"""Waiting for the end of a child process, and for Ctrl-C, side by side with anything else."""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from typing import Any

_ALL = 4096
_LOOK = 60.0
"""Seconds after which we look anyway."""
_BLINK = 10
"""Milliseconds between two looks at a process that the kernel cannot tell us about."""


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
                self._before = signal.signal(signal.SIGINT, self._note)

    def __enter__(self) -> Interrupts:
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        was_missed = self.come()
        os.close(self.call)
        os.close(self._calling)
        if was_missed:
            signal.raise_signal(signal.SIGINT)

    def come(self) -> bool:
        """Tell whether one has come since the last time somebody asked."""
        with suppress(BlockingIOError):
            return bool(os.read(self.call, _ALL))
        return False

    def _note(self, *_: object) -> None:
        with suppress(BlockingIOError):  # there is one for each byte of a pipe already
            os.write(self._calling, b"!")


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
