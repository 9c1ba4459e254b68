"""Myers diff: a bidirectional search for the fewest line edits, with limits.

This is Myers' algorithm in linear space, with git's limits, so that both find the same edits.
A *diagonal* is the difference between a position in the old text and one in the new.
Each round allows one more edit, and records for each diagonal how far it reaches: forward from the
start of a box, and backward from its end.  Where the two fronts meet, the box is cut in two.

Two limits end a search early.  After many rounds a long run of equal lines far from the start is
good enough to cut at, and after too many rounds the farthest position is.
The part behind such a cut was reached with few edits, and is searched without these limits.

Python is slower than C, so there is a third limit that git does not have: an `Effort`.
When it is spent, a search stops after a few rounds; the edits are correct, but not the fewest.
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.named_tuple import NamedTuple

_LONG_RUN = 20
"""Length of a run of equal lines that is good enough to cut at."""

_MANY_ROUNDS = 256
"""Rounds after which such a run is searched for, and the minimum before a search stops."""

_MIN_GAIN = 4
"""Lines that an early cut must gain for each round."""

_SPENT_ROUNDS = 12
"""Rounds after which a search stops once the effort is spent."""

_FAR = 1 << 60


class Effort:
    """The remaining work budget of one merge: lines compared, and changes moved by a line."""

    __slots__ = ("slides", "steps")

    def __init__(self, steps: int = 16_000_000, slides: int = 4_000_000) -> None:
        self.steps = steps
        self.slides = slides


class _Box(NamedTuple):
    old: int
    old_end: int
    new: int
    new_end: int
    thorough: bool
    """Reached with few edits, so the search needs no other limit."""


class _Cut(NamedTuple):
    old: int
    new: int
    thorough_before: bool = True
    thorough_after: bool = True


class _Front:
    """How far each diagonal reaches, as a position in the old text; every other one in a round."""

    __slots__ = ("reach", "middle", "low", "high", "long_run")

    def __init__(self, reach: list[int], middle: int, start: int) -> None:
        self.reach = reach
        self.reach[middle] = start
        self.middle = self.low = self.high = middle
        self.long_run = False

    def widen(self, lowest: int, highest: int, nowhere: int) -> None:
        """Add one diagonal at each end, or drop one where the box is at its edge."""
        if self.low > lowest:
            self.low -= 1
            self.reach[self.low - 1] = nowhere
        else:
            self.low += 1
        if self.high < highest:
            self.high += 1
            self.reach[self.high + 1] = nowhere
        else:
            self.high -= 1

    def diagonals(self) -> range:
        return range(self.high, self.low - 1, -2)


class _PathSearch(NamedTuple):
    """The constant parameters of a search."""

    old: Sequence[int]
    new: Sequence[int]
    forward: list[int]
    backward: list[int]
    rounds: int
    effort: Effort


def mark_edits(
    old: Sequence[int], new: Sequence[int], effort: Effort
) -> tuple[bytearray, bytearray]:
    """Return marks for the deleted lines of `old` and the added lines of `new`."""
    deleted, added = bytearray(len(old)), bytearray(len(new))
    # Negative diagonals index from the end of the list, as Python does.
    diagonals = len(old) + len(new) + 3
    rounds = max(approximate_root(diagonals), _MANY_ROUNDS)
    search = _PathSearch(old, new, [0] * diagonals, [0] * diagonals, rounds, effort)
    waiting = [_Box(0, len(old), 0, len(new), thorough=False)]
    while waiting:
        box = _without_ends(waiting.pop(), old, new)
        if box.old == box.old_end or box.new == box.new_end:
            deleted[box.old : box.old_end] = b"\1" * (box.old_end - box.old)
            added[box.new : box.new_end] = b"\1" * (box.new_end - box.new)
            continue
        cut = _cut(search, box)
        waiting.append(_Box(cut.old, box.old_end, cut.new, box.new_end, cut.thorough_after))
        waiting.append(_Box(box.old, cut.old, box.new, cut.new, cut.thorough_before))
    return deleted, added


def approximate_root(number: int) -> int:
    """Return a power of two near the square root, the one that git uses for its limits."""
    return 1 << (number.bit_length() + 1) // 2


def _without_ends(box: _Box, old: Sequence[int], new: Sequence[int]) -> _Box:
    start, old_end, new_start, new_end, thorough = box
    while start < old_end and new_start < new_end and old[start] == new[new_start]:
        start += 1
        new_start += 1
    while start < old_end and new_start < new_end and old[old_end - 1] == new[new_end - 1]:
        old_end -= 1
        new_end -= 1
    return _Box(start, old_end, new_start, new_end, thorough)


def _cut(search: _PathSearch, box: _Box) -> _Cut:
    """Return a position at which `box` can be split into two independent searches."""
    lowest, highest = box.old - box.new_end, box.old_end - box.new
    ahead = _Front(search.forward, box.old - box.new, box.old)
    behind = _Front(search.backward, box.old_end - box.new_end, box.old_end)
    odd = (ahead.middle - behind.middle) & 1
    rounds = 0
    while True:
        rounds += 1
        ahead.widen(lowest, highest, -1)
        met = _forward(search, box, ahead, behind if odd else None)
        if met is None:
            behind.widen(lowest, highest, _FAR)
            met = _backward(search, box, behind, None if odd else ahead)
        if met is not None:
            return met
        if box.thorough:
            continue
        if rounds > _MANY_ROUNDS and (ahead.long_run or behind.long_run):
            good = _after_long_run(search, box, ahead, rounds) or _before_long_run(
                search, box, behind, rounds
            )
            if good is not None:
                return good
        if rounds >= (search.rounds if search.effort.steps > 0 else _SPENT_ROUNDS):
            return _farthest(box, ahead, behind)


def _forward(search: _PathSearch, box: _Box, ahead: _Front, behind: _Front | None) -> _Cut | None:
    """Advance by one edit on each diagonal; return where it meets `behind`."""
    old, new, reach = search.old, search.new, ahead.reach
    old_end, new_end = box.old_end, box.new_end
    low, high, met = (behind.low, behind.high, behind.reach) if behind else (1, 0, reach)
    walked = ahead.high - ahead.low
    ahead.long_run = False
    for diagonal in range(ahead.high, ahead.low - 1, -2):
        deleted, added = reach[diagonal - 1], reach[diagonal + 1]
        at = start = deleted + 1 if deleted >= added else added
        other = at - diagonal
        while at < old_end and other < new_end and old[at] == new[other]:
            at += 1
            other += 1
        if at > start:
            walked += at - start
            if at - start > _LONG_RUN:
                ahead.long_run = True
        reach[diagonal] = at
        if low <= diagonal <= high and met[diagonal] <= at:
            return _Cut(at, other)
    search.effort.steps -= walked
    return None


def _backward(search: _PathSearch, box: _Box, behind: _Front, ahead: _Front | None) -> _Cut | None:
    """Go back by one edit on each diagonal; return where it meets `ahead`."""
    old, new, reach = search.old, search.new, behind.reach
    first, new_first = box.old, box.new
    low, high, met = (ahead.low, ahead.high, ahead.reach) if ahead else (1, 0, reach)
    walked = behind.high - behind.low
    behind.long_run = False
    for diagonal in range(behind.high, behind.low - 1, -2):
        added, deleted = reach[diagonal - 1], reach[diagonal + 1]
        at = start = added if added < deleted else deleted - 1
        other = at - diagonal
        while at > first and other > new_first and old[at - 1] == new[other - 1]:
            at -= 1
            other -= 1
        if at < start:
            walked += start - at
            if start - at > _LONG_RUN:
                behind.long_run = True
        reach[diagonal] = at
        if low <= diagonal <= high and at <= met[diagonal]:
            return _Cut(at, other)
    search.effort.steps -= walked
    return None


def _after_long_run(search: _PathSearch, box: _Box, ahead: _Front, rounds: int) -> _Cut | None:
    """Return the end of a long run that `ahead` reached, if one gained enough for the rounds."""
    best, cut = _MIN_GAIN * rounds, None
    for diagonal in ahead.diagonals():
        at = ahead.reach[diagonal]
        other = at - diagonal
        gain = (at - box.old) + (other - box.new) - abs(diagonal - ahead.middle)
        if (
            gain > best
            and box.old + _LONG_RUN <= at < box.old_end
            and box.new + _LONG_RUN <= other < box.new_end
            and search.old[at - _LONG_RUN : at] == search.new[other - _LONG_RUN : other]
        ):
            best, cut = gain, _Cut(at, other, thorough_after=False)
    return cut


def _before_long_run(search: _PathSearch, box: _Box, behind: _Front, rounds: int) -> _Cut | None:
    """Return the start of a long run that `behind` reached, if one gained enough for the rounds."""
    best, cut = _MIN_GAIN * rounds, None
    for diagonal in behind.diagonals():
        at = behind.reach[diagonal]
        other = at - diagonal
        gain = (box.old_end - at) + (box.new_end - other) - abs(diagonal - behind.middle)
        if (
            gain > best
            and box.old < at <= box.old_end - _LONG_RUN
            and box.new < other <= box.new_end - _LONG_RUN
            and search.old[at : at + _LONG_RUN] == search.new[other : other + _LONG_RUN]
        ):
            best, cut = gain, _Cut(at, other, thorough_before=False)
    return cut


def _farthest(box: _Box, ahead: _Front, behind: _Front) -> _Cut:
    """Return the farthest position, counted in lines of both texts."""
    most, most_at = -1, -1
    for diagonal in ahead.diagonals():
        at = min(ahead.reach[diagonal], box.old_end, box.new_end + diagonal)
        if at + at - diagonal > most:
            most, most_at = at + at - diagonal, at
    least, least_at = _FAR, _FAR
    for diagonal in behind.diagonals():
        at = max(behind.reach[diagonal], box.old, box.new + diagonal)
        if at + at - diagonal < least:
            least, least_at = at + at - diagonal, at
    if box.old_end + box.new_end - least < most - (box.old + box.new):
        return _Cut(most_at, most - most_at, thorough_after=False)
    return _Cut(least_at, least - least_at, thorough_before=False)
