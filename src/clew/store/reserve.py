"""Reserve: preallocated space, released when the disk is full."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from clew.errors import StoreFull
from clew.store.layout import Layout

_Result = TypeVar("_Result")


def with_reserve(layout: Layout, action: Callable[[], _Result]) -> _Result:
    """Run `action`; if the disk is full, release the reserve and run it once more."""
    try:
        return action()
    except StoreFull:
        if not layout.release_reserve():
            raise
        return action()
