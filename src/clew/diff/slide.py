"""Position of a group of changed lines that fits in several places.

In ``a b a b``, deleting the first two lines gives the same result as deleting the middle or last
two.  The choice decides which edits a merge sees as touching, so the rule is git's: groups that
meet are joined, and a group moves down as far as possible, or, if it can be beside a change of the
other text, to the last position where it is.
"""

from __future__ import annotations

from clew.diff.myers import Effort


def slide(lines: list[int], marks: bytearray, others: bytearray, effort: Effort) -> None:
    """Move each group of `marks` over equal lines to its final position.

    `marks` has one more element than `lines`, which is clear; `others` are the marks of the other
    text.  When the effort is spent, groups stay where they are, which is also correct.
    """
    beside = frozenset(groups(others))
    group = _ChangedLines(lines, marks)
    while group.next():
        group.settle(beside, effort)


def groups(marks: bytearray) -> dict[int, int]:
    """Return the length of each group, by the number of unchanged lines before it.

    Both texts have the same unchanged lines, so this number denotes the same position in both.
    """
    lengths = {}
    end = kept = 0
    while (start := marks.find(1, end)) >= 0:
        kept += start - end
        end = marks.find(0, start)
        lengths[kept] = end - start
    return lengths


class _ChangedLines:
    """A group of adjacent changed lines; moving it updates `marks`."""

    __slots__ = ("lines", "marks", "start", "end", "kept")

    def __init__(self, lines: list[int], marks: bytearray) -> None:
        self.lines = lines
        self.marks = marks
        self.start = self.end = 0
        self.kept = 0
        """Unchanged lines before the group."""

    def next(self) -> bool:
        """Advance to the next group; return False if there is none."""
        start = self.marks.find(1, self.end)
        if start < 0:
            return False
        self.kept += start - self.end
        self.start, self.end = start, self.marks.find(0, start)
        return True

    def settle(self, beside: frozenset[int], effort: Effort) -> None:
        """Move the group to its final position."""
        size = 0
        last_beside: int | None = None
        # Repeat if it joined another group: it may now move farther.
        while size != self.end - self.start and effort.slides > 0:
            size = self.end - self.start
            bottom = self.kept
            self._to_top()
            top = self.kept
            last_beside = self._to_bottom(beside)
            effort.slides -= (bottom - top) + (self.kept - top)
        # With the effort spent it may have grown meanwhile, and no longer fits there.
        if last_beside is not None and size == self.end - self.start:
            while self.kept > last_beside:
                self._up()

    def _to_top(self) -> None:
        lines = self.lines
        while self.start and lines[self.start - 1] == lines[self.end - 1]:
            self._up()

    def _to_bottom(self, beside: frozenset[int]) -> int | None:
        """Move down as far as possible; return the last position passed that is beside a change."""
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
