"""Where a group of changed lines stands when it could stand in several places.

In ``a b a b``, taking out the first two lines gives the same as taking out the middle or last two.
Which of them is said decides what a merge sees as touching, so the rule is git's: groups that meet
become one, and a group goes as far down as it can, or, where it can stand beside a change of the
other text, to the last place where it does.
"""

from __future__ import annotations

from clew.diff.myers import Effort


def slide(lines: list[int], marks: bytearray, others: bytearray, effort: Effort) -> None:
    """Move each group of `marks` over equal lines to where it belongs.

    `marks` has one more than `lines`, which is clear; `others` are the marks of the other text.
    When the effort is spent, groups stay where they are, which is right too.
    """
    beside = frozenset(groups(others))
    group = _ChangedLines(lines, marks)
    while group.next():
        group.settle(beside, effort)


def groups(marks: bytearray) -> dict[int, int]:
    """Return the length of each group, by the number of unchanged lines before it.

    Both texts have the same unchanged lines, so such a number means the same place in both.
    """
    lengths = {}
    end = kept = 0
    while (start := marks.find(1, end)) >= 0:
        kept += start - end
        end = marks.find(0, start)
        lengths[kept] = end - start
    return lengths


class _ChangedLines:
    """Changed lines that stand together; moving them keeps `marks` up to date."""

    __slots__ = ("lines", "marks", "start", "end", "kept")

    def __init__(self, lines: list[int], marks: bytearray) -> None:
        self.lines = lines
        self.marks = marks
        self.start = self.end = 0
        self.kept = 0
        """Unchanged lines before the group."""

    def next(self) -> bool:
        """Become the next group, if there is one."""
        start = self.marks.find(1, self.end)
        if start < 0:
            return False
        self.kept += start - self.end
        self.start, self.end = start, self.marks.find(0, start)
        return True

    def settle(self, beside: frozenset[int], effort: Effort) -> None:
        """Move to the right place."""
        size = 0
        last_beside: int | None = None
        # once more if it grew by a group it met: now it may go farther
        while size != self.end - self.start and effort.slides > 0:
            size = self.end - self.start
            bottom = self.kept
            self._to_top()
            top = self.kept
            last_beside = self._to_bottom(beside)
            effort.slides -= (bottom - top) + (self.kept - top)
        # without effort it may have grown on the way, and then no longer fits there
        if last_beside is not None and size == self.end - self.start:
            while self.kept > last_beside:
                self._up()

    def _to_top(self) -> None:
        lines = self.lines
        while self.start and lines[self.start - 1] == lines[self.end - 1]:
            self._up()

    def _to_bottom(self, beside: frozenset[int]) -> int | None:
        """Go down as far as possible; return the last place on the way that is beside a change."""
        lines, length = self.lines, len(self.lines)
        last = self.kept if self.kept in beside else None
        while self.end < length and lines[self.start] == lines[self.end]:
            self._down()
            if self.kept in beside:
                last = self.kept
        return last

    def _up(self) -> None:
        self.start -= 1
        self.end -= 1
        self.kept -= 1
        self.marks[self.start], self.marks[self.end] = 1, 0
        if self.start and self.marks[self.start - 1]:
            self.start = self.marks.rfind(0, 0, self.start) + 1

    def _down(self) -> None:
        self.marks[self.start], self.marks[self.end] = 0, 1
        self.start += 1
        self.end += 1
        self.kept += 1
        if self.marks[self.end]:
            self.end = self.marks.find(0, self.end)
