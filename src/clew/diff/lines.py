"""Line edits between two texts in near-linear time, whatever their content.

A search for the fewest edits (`edits`) finds what git finds, and is quadratic on texts that share
little.  A long range is therefore first divided at lines that are unique on both sides (patience
diff), after its common prefix and suffix are stripped, and only short ranges are searched.
A range that stays long without such lines counts as replaced: the edits are correct, but not the
fewest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from clew.diff.edits import Edit, find_edits, mark_changes, middle, placed_edits
from clew.diff.myers import Effort
from clew.model.named_tuple import NamedTuple

_SMALL = 40_000
"""Largest product of line counts that is searched at once."""

_BUDGET = 2_000_000
"""The same, in total for a text."""

_ROUNDS = 8
"""How often a range is divided again; each round is linear."""


class _Match(NamedTuple):
    """A run of equal lines."""

    old: int
    new: int
    length: int


class _Range(NamedTuple):
    old: int
    old_end: int
    new: int
    new_end: int
    rounds: int

    @property
    def cells(self) -> int:
        return (self.old_end - self.old) * (self.new_end - self.new)


def line_edits(old: Sequence[bytes], new: Sequence[bytes]) -> list[Edit]:
    """Return the edits from `old` to `new`, in order; no two edits are adjacent."""
    numbers: dict[bytes, int] = {}
    before = [numbers.setdefault(line, len(numbers)) for line in old]
    after = [numbers.setdefault(line, len(numbers)) for line in new]
    start, old_end, new_end = middle(before, after)
    if (old_end - start) * (new_end - start) <= _SMALL:
        return find_edits(before, after, Effort())
    deleted = bytearray(b"\1" * len(before) + b"\0")
    added = bytearray(b"\1" * len(after) + b"\0")
    for at, new_at, length in _matches(before, after):
        deleted[at : at + length] = bytes(length)
        added[new_at : new_at + length] = bytes(length)
    return placed_edits(before, after, deleted, added, Effort())


def _matches(old: list[int], new: list[int]) -> list[_Match]:
    """Return runs of equal lines, in order on both sides and not overlapping."""
    found: list[_Match] = []
    waiting = [_Range(0, len(old), 0, len(new), _ROUNDS)]
    budget = _BUDGET
    while waiting:
        span = _strip_common(waiting.pop(), old, new, found)
        if not span.cells:
            continue
        if span.cells <= min(_SMALL, budget):
            budget -= span.cells
            found += _search(span, old, new)
        elif span.rounds:
            waiting += _cut(span, old, new, found)
    return found


def _strip_common(span: _Range, old: list[int], new: list[int], found: list[_Match]) -> _Range:
    """Move the common prefix and suffix to `found`, and return the rest."""
    start, end, new_start, new_end, rounds = span
    shorter = min(end - start, new_end - new_start)
    head = 0
    while head < shorter and old[start + head] == new[new_start + head]:
        head += 1
    tail = 0
    while tail < shorter - head and old[end - 1 - tail] == new[new_end - 1 - tail]:
        tail += 1
    if head:
        found.append(_Match(start, new_start, head))
    if tail:
        found.append(_Match(end - tail, new_end - tail, tail))
    return _Range(start + head, end - tail, new_start + head, new_end - tail, rounds)


def _search(span: _Range, old: list[int], new: list[int]) -> Iterator[_Match]:
    """Yield the runs of equal lines between the fewest edits."""
    before, after = old[span.old : span.old_end], new[span.new : span.new_end]
    if set(before).isdisjoint(after):
        return
    deleted, added = mark_changes(before, after, Effort())
    kept = (at for at in range(len(before)) if not deleted[at])
    new_kept = (at for at in range(len(after)) if not added[at])
    for at, new_at in zip(kept, new_kept, strict=True):
        yield _Match(span.old + at, span.new + new_at, 1)


def _cut(span: _Range, old: list[int], new: list[int], found: list[_Match]) -> list[_Range]:
    """Move lines that are unique on both sides to `found`, and return the ranges between them."""
    anchors = _anchors(span, old, new)
    if not anchors:
        return []
    between: list[_Range] = []
    at, new_at = span.old, span.new
    for anchor, new_anchor in anchors:
        found.append(_Match(anchor, new_anchor, 1))
        between.append(_Range(at, anchor, new_at, new_anchor, span.rounds - 1))
        at, new_at = anchor + 1, new_anchor + 1
    between.append(_Range(at, span.old_end, new_at, span.new_end, span.rounds - 1))
    return between


def _anchors(span: _Range, old: list[int], new: list[int]) -> list[tuple[int, int]]:
    """Return the longest sequence of unique lines in the same order on both sides."""
    before = old[span.old : span.old_end]
    after = new[span.new : span.new_end]
    times, new_times = Counter(before), Counter(after)
    place = {line: at for at, line in enumerate(after, span.new) if new_times[line] == 1}
    candidates = [
        (at, place[line])
        for at, line in enumerate(before, span.old)
        if times[line] == 1 and line in place
    ]
    return _longest_increasing(candidates)


def _longest_increasing(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence of `points` with increasing second numbers (patience sort)."""
    tops: list[int] = []
    """The smallest last number of an increasing subsequence of each length."""
    ends: list[int] = []
    """The point of that number."""
    before: list[int] = []
    """The predecessor of each point."""
    for at, (_, number) in enumerate(points):
        length = bisect_left(tops, number)
        before.append(ends[length - 1] if length else -1)
        tops[length : length + 1] = [number]
        ends[length : length + 1] = [at]
    longest: list[tuple[int, int]] = []
    last = ends[-1] if ends else -1
    while last >= 0:
        longest.append(points[last])
        last = before[last]
    longest.reverse()
    return longest
