"""Graph of a timeline: the columns to the left of its rows, with a line for each branch.

The current line of history is the leftmost one, from *here* down; what a restore left behind is to
its right.  A branch joins the line that it left in the row of its oldest checkpoint, and where that
is not possible yet, in the row of the common parent:

    @      saved after the restore
    │ ○    abandoned
    ├─○    abandoned
    ○      restored
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from clew.model.named_tuple import NamedTuple

_THROUGH = "│"
_EMPTY = " "


class GraphCells(NamedTuple):
    """The graph's part of a row."""

    text: str
    node: int | None
    """The position of the node in the text; None in a row without one."""


class Graph:
    """Draws rows from top to bottom; `most` is the number of branches that have a column each."""

    def __init__(self, main: Hashable | None, most: int) -> None:
        self._lanes: list[Hashable | None] = [main] if main is not None else []
        """For each column, the node that its line leads to; None for a free column."""
        self._has_main = main is not None
        self._has_begun = main is None
        self._most = most

    def node(self, name: Hashable, sign: str, parents: Sequence[Hashable]) -> GraphCells:
        """Return the cells of a node; `parents` are the nodes below it, the first one in its line."""
        awaiting = [column for column, lane in enumerate(self._lanes) if lane == name]
        column = awaiting[0] if awaiting else self._free_column(0)
        signs = self._through()
        self._end_lanes(signs, column, awaiting[1:])
        if column == 0:
            self._has_begun = True
        first, *others = parents or [None]
        self._lanes[column] = first
        self._join_early(signs, column, first)
        for other in others:
            self._open_lane(signs, column, other)
        signs[2 * column] = sign
        return self._cells(signs, column)

    def mark(self, below: Hashable, sign: str) -> GraphCells:
        """Return the cells of a row that stands on the line to the node `below`."""
        signs = self._through()
        column = self._lanes.index(below) if below in self._lanes else len(self._lanes)
        signs += [_EMPTY] * (2 * column + 1 - len(signs))
        signs[2 * column] = sign
        return self._cells(signs, column)

    def between(self) -> GraphCells:
        """Return the cells of a row without a node."""
        return GraphCells("".join(self._squeezed(self._through())), None)

    def _through(self) -> list[str]:
        """Return the lines that pass a row: a sign for each column, and one between two of them."""
        signs: list[str] = []
        for column, lane in enumerate(self._lanes):
            is_drawn = lane is not None and (column or self._has_begun or not self._has_main)
            signs += [_THROUGH if is_drawn else _EMPTY, _EMPTY]
        return signs[:-1]

    def _free_column(self, least: int) -> int:
        for column in range(least, len(self._lanes)):
            if self._lanes[column] is None:
                return column
        self._lanes += [None] * (max(least - len(self._lanes), 0) + 1)
        return len(self._lanes) - 1

    def _end_lanes(self, signs: list[str], column: int, ending: Sequence[int]) -> None:
        """Join lines that lead to this node from columns to the right."""
        if len(signs) < 2 * column + 1:
            signs += [_EMPTY] * (2 * column + 1 - len(signs))
        for other in ending:
            self._lanes[other] = None
        if ending:
            _draw_across(signs, column, ending[-1])
            for other in ending[:-1]:
                signs[2 * other] = "┴"
            signs[2 * ending[-1]] = "╯"

    def _join_early(self, signs: list[str], column: int, parent: Hashable | None) -> None:
        """End this line here if one further left leads to the same parent."""
        if parent is None or column == 0 or parent not in self._lanes[:column]:
            return
        target = self._lanes.index(parent)
        if target == 0 and not self._has_begun:
            return
        self._lanes[column] = None
        _draw_across(signs, target, column)
        signs[2 * target] = "├"

    def _open_lane(self, signs: list[str], column: int, name: Hashable) -> None:
        """Begin a line to a node that was merged into this one."""
        if name in self._lanes[column + 1 :]:
            target, sign = self._lanes.index(name), "┤"
        else:
            target, sign = self._free_column(column + 1), "╮"
            self._lanes[target] = name
        signs += [_EMPTY] * (2 * target + 1 - len(signs))
        _draw_across(signs, column, target)
        signs[2 * target] = sign

    def _cells(self, signs: list[str], column: int) -> GraphCells:
        squeezed = self._squeezed(signs)
        at = min(2 * column, len(squeezed) - 1)
        squeezed[at] = signs[2 * column]
        return GraphCells("".join(squeezed), at)

    def _squeezed(self, signs: list[str]) -> list[str]:
        """Return the signs with the branches that have no column of their own in the last one."""
        room = 2 * self._most - 1
        if len(signs) <= room:
            return list(signs)
        rest = [sign for sign in signs[room - 1 :] if sign != _EMPTY]
        return [*signs[: room - 1], "┆" if rest else _EMPTY]


def _draw_across(signs: list[str], left: int, right: int) -> None:
    """Draw a line between two columns, over the lines that it crosses."""
    for at in range(2 * left + 1, 2 * right):
        signs[at] = "┼" if signs[at] == _THROUGH else "─"
