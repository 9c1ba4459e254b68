"""Resource limits for the SQLite databases of one story."""

from __future__ import annotations

import time

from clew.model.named_tuple import NamedTuple


class SqliteLimits(NamedTuple):
    """Limits of one story; without a slow machine, the numbers decide and not the time."""

    counted_bytes: int = 128 << 20
    """Leaves that are counted; the rows of larger tables are estimated."""
    compared_rows: int = 60_000
    """Rows that are compared one by one, of each version."""
    compared_cells: int = 100_000
    """Rows that are compared as they are stored, in pages that changed."""
    seconds: float = 0.25
    """Processor time for the schema of one database, and again for its rows."""
    all_seconds: float = 0.35


_LOOKS = 32
"""Every so many calls, the time is looked at."""


class OutOfTime(Exception):
    """The processor time for a database is used up."""


class Budget:
    """The remaining budget."""

    def __init__(self, limits: SqliteLimits) -> None:
        self.limits = limits
        self.bytes = limits.counted_bytes
        self.rows = limits.compared_rows
        self.cells = limits.compared_cells
        self._calls = 0
        self._begun = time.thread_time()
        self._until = self._begun + limits.seconds

    @property
    def is_spent(self) -> bool:
        return time.thread_time() - self._begun > self.limits.all_seconds

    def restart(self) -> None:
        """Begin a database, or its next part."""
        end = self._begun + self.limits.all_seconds
        self._until = min(time.thread_time() + self.limits.seconds, end)

    def check(self) -> None:
        """Raise `OutOfTime` if the time for this part is used up; most calls do not look."""
        self._calls += 1
        if self._calls % _LOOKS == 1 and time.thread_time() > self._until:
            raise OutOfTime
