"""Line matching of two texts in near-linear time, whatever their content.

`difflib` gives good results on a few hundred lines and is quadratic, or worse, on many.
It is therefore used on short ranges only: the common prefix and suffix are stripped, lines that are
unique on both sides divide the rest (patience diff), and a range that stays long without such lines
counts as replaced.  The result is then still correct, but not the shortest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from clew.model.named_tuple import NamedTuple

_SMALL = 40_000
"""Largest product of line counts passed to difflib at once."""

_BUDGET = 2_000_000
"""The same, in total for a text."""

_ROUNDS = 8
"""How often a range is divided again; each round is linear."""


class Match(NamedTuple):
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


def match_lines(old: Sequence[bytes], new: Sequence[bytes]) -> list[Match]:
    """Return runs of equal lines, in order on both sides and not overlapping."""
    found: list[Match] = []
    waiting = [_Range(0, len(old), 0, len(new), _ROUNDS)]
    budget = _BUDGET
    while waiting:
        span = _strip_common(waiting.pop(), old, new, found)
        if not span.cells:
            continue
        if span.cells <= min(_SMALL, budget):
            budget -= span.cells
            found += _match_exact(span, old, new)
        elif span.rounds:
            waiting += _cut(span, old, new, found)
    found.sort()
    return found


def _strip_common(
    span: _Range, old: Sequence[bytes], new: Sequence[bytes], found: list[Match]
) -> _Range:
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
        found.append(Match(start, new_start, head))
    if tail:
        found.append(Match(end - tail, new_end - tail, tail))
    return _Range(start + head, end - tail, new_start + head, new_end - tail, rounds)


def _match_exact(span: _Range, old: Sequence[bytes], new: Sequence[bytes]) -> list[Match]:
    from difflib import SequenceMatcher  # noqa: PLC0415  costs 10 ms, only patches need it

    before = old[span.old : span.old_end]
    after = new[span.new : span.new_end]
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return [
        Match(span.old + block.a, span.new + block.b, block.size) for block in blocks if block.size
    ]


def _cut(
    span: _Range, old: Sequence[bytes], new: Sequence[bytes], found: list[Match]
) -> list[_Range]:
    """Move lines that are unique on both sides to `found`, and return the ranges between them."""
    anchors = _anchors(span, old, new)
    if not anchors:
        return []
    between: list[_Range] = []
    at, new_at = span.old, span.new
    for anchor, new_anchor in anchors:
        found.append(Match(anchor, new_anchor, 1))
        between.append(_Range(at, anchor, new_at, new_anchor, span.rounds - 1))
        at, new_at = anchor + 1, new_anchor + 1
    between.append(_Range(at, span.old_end, new_at, span.new_end, span.rounds - 1))
    return between


def _anchors(span: _Range, old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
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
