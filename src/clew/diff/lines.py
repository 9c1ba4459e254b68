"""Which lines two texts have in common, in time that stays near linear whatever they hold.

`difflib` gives good results on a few hundred lines and is quadratic, or worse, on many.
So it only sees short stretches: what both begin and end with is set aside, lines that are unique
on both sides hold the rest apart (patience diff), and a stretch that stays long without such
lines is taken as replaced.  The answer is then still right, only not the shortest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from clew.model.named_tuple import NamedTuple

_SMALL = 40_000
"""Lines times lines that difflib may look at in one go."""

_BUDGET = 2_000_000
"""The same over the whole text."""

_ROUNDS = 8
"""How often a stretch is cut again; each round is linear."""


class Match(NamedTuple):
    """A run of equal lines."""

    old: int
    new: int
    length: int


class _Stretch(NamedTuple):
    old: int
    old_end: int
    new: int
    new_end: int
    rounds: int

    @property
    def cells(self) -> int:
        return (self.old_end - self.old) * (self.new_end - self.new)


def match_lines(old: Sequence[bytes], new: Sequence[bytes]) -> list[Match]:
    """Return runs of lines that are equal, in order on both sides and not overlapping."""
    found: list[Match] = []
    waiting = [_Stretch(0, len(old), 0, len(new), _ROUNDS)]
    budget = _BUDGET
    while waiting:
        stretch = _without_ends(waiting.pop(), old, new, found)
        if not stretch.cells:
            continue
        if stretch.cells <= min(_SMALL, budget):
            budget -= stretch.cells
            found += _shortest(stretch, old, new)
        elif stretch.rounds:
            waiting += _cut(stretch, old, new, found)
    found.sort()
    return found


def _without_ends(
    stretch: _Stretch, old: Sequence[bytes], new: Sequence[bytes], found: list[Match]
) -> _Stretch:
    """Move what both sides begin and end with to `found`, and return what is left."""
    start, end, new_start, new_end, rounds = stretch
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
    return _Stretch(start + head, end - tail, new_start + head, new_end - tail, rounds)


def _shortest(stretch: _Stretch, old: Sequence[bytes], new: Sequence[bytes]) -> list[Match]:
    from difflib import SequenceMatcher  # noqa: PLC0415  10 ms that only a patch needs

    before = old[stretch.old : stretch.old_end]
    after = new[stretch.new : stretch.new_end]
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return [
        Match(stretch.old + block.a, stretch.new + block.b, block.size)
        for block in blocks
        if block.size
    ]


def _cut(
    stretch: _Stretch, old: Sequence[bytes], new: Sequence[bytes], found: list[Match]
) -> list[_Stretch]:
    """Move lines that are unique on both sides to `found`, and return what lies between them."""
    anchors = _anchors(stretch, old, new)
    if not anchors:
        return []
    between: list[_Stretch] = []
    at, new_at = stretch.old, stretch.new
    for anchor, new_anchor in anchors:
        found.append(Match(anchor, new_anchor, 1))
        between.append(_Stretch(at, anchor, new_at, new_anchor, stretch.rounds - 1))
        at, new_at = anchor + 1, new_anchor + 1
    between.append(_Stretch(at, stretch.old_end, new_at, stretch.new_end, stretch.rounds - 1))
    return between


def _anchors(
    stretch: _Stretch, old: Sequence[bytes], new: Sequence[bytes]
) -> list[tuple[int, int]]:
    """Return the longest run of unique lines that stand in the same order on both sides."""
    before = old[stretch.old : stretch.old_end]
    after = new[stretch.new : stretch.new_end]
    times, new_times = Counter(before), Counter(after)
    place = {line: at for at, line in enumerate(after, stretch.new) if new_times[line] == 1}
    candidates = [
        (at, place[line])
        for at, line in enumerate(before, stretch.old)
        if times[line] == 1 and line in place
    ]
    return _longest_rising(candidates)


def _longest_rising(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part of `points` whose second numbers rise (patience sorting)."""
    tops: list[int] = []
    """The smallest number on which a rising part of each length can end."""
    ends: list[int] = []
    """The point that number belongs to."""
    before: list[int] = []
    """The point that comes before each point."""
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
