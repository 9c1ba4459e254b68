"""Numbers of rows, counted or estimated from a sample of pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from clew.model.named_tuple import NamedTuple


class Rows(NamedTuple):
    """The number of rows of a table."""

    number: int
    is_estimate: bool = False

    def __str__(self) -> str:
        return f"~{self.number}" if self.is_estimate else str(self.number)


_Item = TypeVar("_Item")


def evenly(items: Sequence[_Item], most: int) -> Sequence[_Item]:
    """Return at most so many items, from the middle of equal parts."""
    if len(items) <= most:
        return items
    step = len(items) / most
    return [items[int((index + 0.5) * step)] for index in range(most)]


def rounded(number: int) -> int:
    """Return an estimate with three significant digits."""
    digits = 10 ** max(len(str(number)) - 3, 0)
    return int(round(number / digits) * digits)
