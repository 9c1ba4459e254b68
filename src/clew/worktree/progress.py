"""Progress of parallel work: each process writes its counters to shared memory."""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Callable
from struct import Struct

from clew.monitor import Monitor
from clew.worktree.boundaries import Boundaries

_SLOT = Struct("<QQ")
_SLOTS = 16
_EVERY_FILES = 256
_MEASURE_SECONDS = 2.0

Report = Callable[[int, int], None]
"""Receives the number of files seen and of bytes read so far."""


class SharedProgress:
    """One slot for each process; the main process reports the sum to the monitor."""

    def __init__(self, monitor: Monitor, total: int | None, phase: str = "scan") -> None:
        self._monitor = monitor
        self._total = total
        self._phase = phase
        self._table = mmap.mmap(-1, _SLOTS * _SLOT.size)
        self._next = _EVERY_FILES

    def report(self, files: int, size: int) -> None:
        """Report from the main process."""
        if files >= self._next:
            self._next = files + _EVERY_FILES
            _SLOT.pack_into(self._table, 0, files, size)
            self.publish()

    def reporter(self, number: int) -> Report:
        """Return the function that a helper process reports to."""
        at = (number % (_SLOTS - 1) + 1) * _SLOT.size

        def report(files: int, size: int) -> None:
            _SLOT.pack_into(self._table, at, files, size)

        return report

    def publish(self) -> None:
        """Report the sum of all processes to the monitor."""
        rows = list(_SLOT.iter_unpack(self._table[:]))
        files, size = sum(row[0] for row in rows), sum(row[1] for row in rows)
        total = self._total if self._total is not None and self._total >= files else None
        self._monitor.progress(self._phase, files, total, size)


def measure(root: bytes, boundaries: Boundaries) -> int | None:
    """Count the entries of a workspace quickly; None if that alone would take long."""
    deadline = time.monotonic() + _MEASURE_SECONDS
    found = 0
    waiting = [root]
    while waiting:
        if time.monotonic() > deadline:
            return None
        directory = waiting.pop()
        special = boundaries.special(directory[len(root) :].strip(b"/"))
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    found += 1
                    is_boundary = special is not None and entry.name in special
                    if entry.is_dir(follow_symlinks=False) and not is_boundary:
                        waiting.append(entry.path)
        except OSError:
            continue  # only an estimate
    return found
