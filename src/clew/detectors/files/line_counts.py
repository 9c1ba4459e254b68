"""Counts of added and removed lines, within a budget per story."""

from __future__ import annotations

from clew.diff.lines import line_edits
from clew.model.named_tuple import NamedTuple

_MAX_FILES = 400
_MAX_BYTES = 8 << 20
_MAX_LINES = 400_000
_SNIFFED = 8_000
"""How many bytes git inspects to classify a file as binary."""


class LineCount(NamedTuple):
    """Numbers of added and removed lines."""

    added: int = 0
    removed: int = 0

    def plus(self, other: LineCount) -> LineCount:
        return LineCount(self.added + other.added, self.removed + other.removed)

    def __str__(self) -> str:
        parts = [
            f"{sign}{number:,}"
            for sign, number in (("+", self.added), ("−", self.removed))
            if number
        ]
        return f"{' '.join(parts)} {'line' if self.added + self.removed == 1 else 'lines'}"


class LineBudget:
    """The remaining budget."""

    def __init__(self) -> None:
        self._files = _MAX_FILES
        self._bytes = _MAX_BYTES

    def allows(self, *sizes: int) -> bool:
        """Return whether a file with versions of these sizes may be counted, and deduct them."""
        if self._files < 1 or self._bytes < sum(sizes):
            return False
        self._files -= 1
        self._bytes -= sum(sizes)
        return True


def is_binary(content: bytes) -> bool:
    return b"\0" in content[:_SNIFFED]


def count_lines(old: bytes, new: bytes) -> LineCount:
    """Return how two versions differ; an absent one is empty."""
    if old == new:
        return LineCount()
    before, after = split_lines(old), split_lines(new)
    if not before or not after or len(before) + len(after) > _MAX_LINES:
        return LineCount(len(after), len(before))
    edits = line_edits(before, after)
    return LineCount(
        sum(edit.new_end - edit.new for edit in edits),
        sum(edit.old_end - edit.old for edit in edits),
    )


def split_lines(content: bytes) -> list[bytes]:
    """Return the lines; an unterminated last line differs from the same line with an end."""
    lines = content.split(b"\n")
    last = lines.pop()
    return [*lines, last + b"\n"] if last else lines
