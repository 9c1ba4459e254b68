"""Wait for the end of a child process, for Ctrl-C and for readable descriptors at the same time."""

from __future__ import annotations

import ctypes
import os
import select
import signal
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_libc = ctypes.CDLL(None)
_PIPE_BYTES = 1 << 16
_RECHECK_SECONDS = 60.0
"""Longest wait for a pidfd before the child is checked again."""
_POLL_MS = 10
"""Interval between two checks of a child without a pidfd."""


def keep_exit_codes() -> None:
    """Reset SIGCHLD if it is ignored, so that the kernel keeps the exit codes of children.

    The parent process may have ignored it; every command would then seem to have passed.
    """
    if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        _libc.signal(signal.SIGCHLD, 0)  # `signal.signal` works in the main thread only


class Interrupts:
    """Records Ctrl-C instead of raising it, so that no step is interrupted half-way.

    An interrupt that was never polled is raised at exit.
    Records nothing outside the main thread, or if the parent process ignores SIGINT.
    """

    def __init__(self) -> None:
        self._before: Any = None
        self.readable, self._wakeup = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        """`readable` can be read when an interrupt has arrived."""
        if signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, None):
            with suppress(ValueError):  # not the main thread
                self._begin()

    def __enter__(self) -> Interrupts:
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.set_wakeup_fd(self._wakeup_before)
            signal.signal(signal.SIGINT, self._before)
        was_missed = self.poll()
        os.close(self.readable)
        os.close(self._wakeup)
        if was_missed:
            signal.raise_signal(signal.SIGINT)

    def poll(self) -> bool:
        """Return whether an interrupt arrived since the last call."""
        with suppress(BlockingIOError):
            return signal.SIGINT in os.read(self.readable, _PIPE_BYTES)
        return False

    def _begin(self) -> None:
        # Python runs its handlers later, and not at all if a wait began just before the signal.
        # The wakeup descriptor receives the signal as a byte at once, and ends the wait.
        self._wakeup_before = signal.set_wakeup_fd(self._wakeup, warn_on_full_buffer=False)
        self._before = signal.signal(signal.SIGINT, lambda *_: None)


class Waiting:
    """Waits until a child ends, a descriptor can be read, or a timeout expires."""

    def __init__(self, child: int, *readable: int) -> None:
        self._child = child
        self._poll = select.poll()
        for descriptor in readable:
            self.add(descriptor)
        self._pidfd: int | None = None
        with suppress(OSError):  # an old kernel, or too many open files
            self._pidfd = os.pidfd_open(child)
            self.add(self._pidfd)

    def add(self, descriptor: int) -> None:
        self._poll.register(descriptor, select.POLLIN)

    def remove(self, descriptor: int) -> None:
        with suppress(KeyError):
            self._poll.unregister(descriptor)

    @property
    def is_over(self) -> bool:
        """Whether the child has ended; its exit code is not collected."""
        try:
            return (
                os.waitid(os.P_PID, self._child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
            )
        except ChildProcessError:
            return True  # its exit code was collected

    def wait(self, seconds: float | None) -> set[int]:
        """Return the readable descriptors; none if the timeout expired."""
        timeout_ms: float | None = _POLL_MS
        if self._pidfd is not None:
            timeout_ms = None if seconds is None else min(seconds, _RECHECK_SECONDS) * 1000 + 1
        return {descriptor for descriptor, _ in self._poll.poll(timeout_ms)}

    def close(self) -> None:
        if self._pidfd is not None:
            os.close(self._pidfd)
