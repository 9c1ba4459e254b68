"""What was edited between two texts, line by line and in the very places git says.

Lines are numbers here, equal ones for equal lines.  Four steps: what both texts begin and end with
is set aside; lines that could only mislead the search are taken as changed; the fewest edits are
found (`myers`); and those that could stand in several places are put in one of them (`slide`).
"""

from __future__ import annotations

from collections import Counter
from itertools import accumulate

from clew.diff.myers import Effort, mark_fewest, rough_root
from clew.diff.slide import groups, slide
from clew.model.named_tuple import NamedTuple

_MOST_TWINS = 1024
"""Twins in the other text that make a line common in any text, however long."""

_WINDOW = 100
"""Lines above and below that tell whether a common line stands among changed ones."""

_CROWD = 4
"""How much a crowd of lines without twins must outweigh the common ones in it."""

_ALONE, _PAIRED, _COMMON = 0, 1, 2


class Edit(NamedTuple):
    """Lines of the old text, and the lines of the new one that stand in their place."""

    old: int
    old_end: int
    new: int
    new_end: int


def find_edits(old: list[int], new: list[int], effort: Effort) -> list[Edit]:
    """Return what leads from `old` to `new`, in order; no two edits touch."""
    gone, came = _marks(old, new, effort)
    slide(old, gone, came, effort)
    slide(new, came, gone, effort)
    return _edits(gone, came)


def _marks(old: list[int], new: list[int], effort: Effort) -> tuple[bytearray, bytearray]:
    """Return marks for the lines that go and come, and one clear mark after the last line."""
    start, old_end, new_end = _middle(old, new)
    gone, came = bytearray(len(old) + 1), bytearray(len(new) + 1)
    old_places = _worth_searching(old, Counter(new), start, old_end, gone)
    new_places = _worth_searching(new, Counter(old), start, new_end, came)
    old_marks, new_marks = mark_fewest(
        [old[at] for at in old_places], [new[at] for at in new_places], effort
    )
    for at, mark in zip(old_places, old_marks, strict=True):
        gone[at] = mark
    for at, mark in zip(new_places, new_marks, strict=True):
        came[at] = mark
    return gone, came


def _middle(old: list[int], new: list[int]) -> tuple[int, int, int]:
    """Return what lies between the common start and the common end of both texts."""
    start, shorter = 0, min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    tail = 0
    while tail < shorter - start and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return start, len(old) - tail, len(new) - tail


def _worth_searching(
    lines: list[int], twins: Counter[int], start: int, end: int, marks: bytearray
) -> list[int]:
    """Return the places from `start` to `end` that the search shall see, and mark the others."""
    many = min(rough_root(len(lines)), _MOST_TWINS)
    kinds = [
        _ALONE if not (count := twins[line]) else _COMMON if count >= many else _PAIRED
        for line in lines[start:end]
    ]
    misleading = _misleading(kinds) if _COMMON in kinds else frozenset()
    places = []
    for at, kind in enumerate(kinds):
        if kind == _ALONE or at in misleading:
            marks[start + at] = 1
        else:
            places.append(start + at)
    return places


def _misleading(kinds: list[int]) -> frozenset[int]:
    """Return the places of common lines that stand in a crowd of lines without twins."""
    alone = list(accumulate((kind == _ALONE for kind in kinds), initial=0))
    above = _crowd_starts(kinds)
    below = [len(kinds) - 1 - at for at in reversed(_crowd_starts(kinds[::-1]))]
    found = []
    for at, kind in enumerate(kinds):
        if kind != _COMMON:
            continue
        first, last = max(above[at], at - _WINDOW), min(below[at], at + _WINDOW)
        alone_above, alone_below = alone[at] - alone[first], alone[last + 1] - alone[at + 1]
        if not alone_above or not alone_below:
            continue
        common = (last - first + 2) - alone_above - alone_below  # git counts the line itself twice
        if common * _CROWD < common + alone_above + alone_below:
            found.append(at)
    return frozenset(found)


def _crowd_starts(kinds: list[int]) -> list[int]:
    """Return for each place the first one from which no paired line stands before it."""
    starts = []
    start = 0
    for at, kind in enumerate(kinds):
        starts.append(start)
        if kind == _PAIRED:
            start = at + 1
    return starts


def _edits(gone: bytearray, came: bytearray) -> list[Edit]:
    going, coming = groups(gone), groups(came)
    edits = []
    all_gone = all_came = 0
    for kept in sorted(going.keys() | coming.keys()):
        old, new = kept + all_gone, kept + all_came
        all_gone += going.get(kept, 0)
        all_came += coming.get(kept, 0)
        edits.append(Edit(old, kept + all_gone, new, kept + all_came))
    return edits
