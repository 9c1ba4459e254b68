"""Resource limits for the SQLite databases of one story: copied bytes and time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clew.detectors.detector import TooLarge
from clew.model.named_tuple import NamedTuple

if TYPE_CHECKING:
    import apsw


class SqliteLimits(NamedTuple):
    """Limits of one story."""

    exact_bytes: int = 256 << 20
    """Rows of larger databases are estimated."""
    copy_bytes: int = 512 << 20
    """The largest database that is copied."""
    all_bytes: int = 1 << 30
    seconds: float = 0.2
    """For one database, both sides together, without copying."""
    all_seconds: float = 0.6


class Budget:
    """The remaining budget."""

    def __init__(self, limits: SqliteLimits) -> None:
        self.limits = limits
        self._bytes = limits.all_bytes
        self._seconds = limits.all_seconds

    @property
    def is_spent(self) -> bool:
        return self._seconds <= 0

    def take(self, path: str, size: int) -> None:
        """Deduct the bytes of one copy."""
        if size > min(self.limits.copy_bytes, self._bytes):
            raise TooLarge(path, size)
        self._bytes -= size

    @contextmanager
    def clock(self, connections: list[apsw.Connection]) -> Iterator[None]:
        """Interrupt the queries inside after their share of the time.

        A thread does that.
        Counting a table is a single step of SQLite's virtual machine, without calls of a progress
        handler, and pages that refer to each other can make it endless.
        """
        begun = time.monotonic()
        done = threading.Event()
        share = min(self.limits.seconds, self._seconds)
        thread = threading.Thread(target=_interrupt, args=(connections, done, share), daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
            self._seconds -= time.monotonic() - begun


def _interrupt(connections: list[apsw.Connection], done: threading.Event, seconds: float) -> None:
    done.wait(seconds)
    while not done.wait(0.002):  # repeatedly: between two statements it has no effect
        for connection in connections:
            connection.interrupt()
