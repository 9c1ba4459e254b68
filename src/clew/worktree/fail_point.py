"""Fail points: named places of a protocol at which a test raises, or changes the disk.

The caller passes a function (`Host.fail_point`); by default nothing happens.
"""

from __future__ import annotations

from collections.abc import Callable

FailPoint = Callable[[str], None]


def no_fail_point(_: str) -> None:
    """Do nothing."""
