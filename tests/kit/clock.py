"""A clock that says another time, for saves that are to lie in the past."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

HOUR = 3600 * 1_000_000_000
DAY = 24 * HOUR


@contextmanager
def shifted(by_ns: int) -> Iterator[None]:
    """Let this process believe that it is earlier or later by so much."""
    real = time.time_ns
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time_ns", lambda: real() + by_ns)
        yield
