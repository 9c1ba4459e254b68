"""The reserve: what to do when the disk is full and something must be done all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from clew.errors import StoreFull
from clew.store.layout import Layout

_Result = TypeVar("_Result")


def with_reserve(layout: Layout, action: Callable[[], _Result]) -> _Result:
    """Do `action`; if the disk is full, give up the reserve and do it once more."""
    try:
        return action()
    except StoreFull:
        if not layout.release_reserve():
            raise
        return action()
