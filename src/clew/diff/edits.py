"""Line edits between two texts, at the same positions as git's.

Lines are numbers here, equal ones for equal lines.  There are four steps: strip the common prefix
and suffix; mark lines that would only mislead the search as changed; find the fewest edits
(`myers`); and choose the position of edits that fit in several places (`slide`).
"""

from __future__ import annotations

from collections import Counter
from itertools import accumulate

from clew.diff.myers import Effort, approximate_root, mark_edits
from clew.diff.slide import groups, slide
from clew.model.named_tuple import NamedTuple

_COMMON_COUNT = 1024
"""A line with this many occurrences in the other text is common, however long the text is."""

_WINDOW = 100
"""How many lines above and below decide whether a common line is among changed ones."""

_DOMINANCE = 4
"""The factor by which unmatched lines around a common line must outnumber the common ones."""

_UNMATCHED, _PAIRED, _COMMON = 0, 1, 2


class Edit(NamedTuple):
    """A range of lines of the old text, and the range of the new text that replaces it."""

    old: int
    old_end: int
    new: int
    new_end: int


def find_edits(old: list[int], new: list[int], effort: Effort) -> list[Edit]:
    """Return the edits from `old` to `new`, in order; no two edits are adjacent."""
    return placed_edits(old, new, *mark_changes(old, new, effort), effort)


def placed_edits(
    old: list[int], new: list[int], deleted: bytearray, added: bytearray, effort: Effort
) -> list[Edit]:
    """Return marked changes as edits, each at its final position."""
    slide(old, deleted, added, effort)
    slide(new, added, deleted, effort)
    return _edits(deleted, added)


def mark_changes(old: list[int], new: list[int], effort: Effort) -> tuple[bytearray, bytearray]:
    """Return marks for deleted and added lines, with one clear mark after the last line."""
    start, old_end, new_end = middle(old, new)
    deleted, added = bytearray(len(old) + 1), bytearray(len(new) + 1)
    old_places = _searchable(old, Counter(new), start, old_end, deleted)
    new_places = _searchable(new, Counter(old), start, new_end, added)
    old_marks, new_marks = mark_edits(
        [old[at] for at in old_places], [new[at] for at in new_places], effort
    )
    for at, mark in zip(old_places, old_marks, strict=True):
        deleted[at] = mark
    for at, mark in zip(new_places, new_marks, strict=True):
        added[at] = mark
    return deleted, added


def middle(old: list[int], new: list[int]) -> tuple[int, int, int]:
    """Return the range between the common prefix and the common suffix of both texts."""
    start, shorter = 0, min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    tail = 0
    while tail < shorter - start and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return start, len(old) - tail, len(new) - tail


def _searchable(
    lines: list[int], twins: Counter[int], start: int, end: int, marks: bytearray
) -> list[int]:
    """Return the positions from `start` to `end` to be searched, and mark the others."""
    many = min(approximate_root(len(lines)), _COMMON_COUNT)
    kinds = [
        _UNMATCHED if not (count := twins[line]) else _COMMON if count >= many else _PAIRED
        for line in lines[start:end]
    ]
    misleading = _misleading(kinds) if _COMMON in kinds else frozenset()
    places = []
    for at, kind in enumerate(kinds):
        if kind == _UNMATCHED or at in misleading:
            marks[start + at] = 1
        else:
            places.append(start + at)
    return places


def _misleading(kinds: list[int]) -> frozenset[int]:
    """Return the positions of common lines surrounded by lines without a match."""
    alone = list(accumulate((kind == _UNMATCHED for kind in kinds), initial=0))
    above = _unpaired_starts(kinds)
    below = [len(kinds) - 1 - at for at in reversed(_unpaired_starts(kinds[::-1]))]
    found = []
    for at, kind in enumerate(kinds):
        if kind != _COMMON:
            continue
        first, last = max(above[at], at - _WINDOW), min(below[at], at + _WINDOW)
        alone_above, alone_below = alone[at] - alone[first], alone[last + 1] - alone[at + 1]
        if not alone_above or not alone_below:
            continue
        common = (last - first + 2) - alone_above - alone_below  # like git: counts the line twice
        if common * _DOMINANCE < common + alone_above + alone_below:
            found.append(at)
    return frozenset(found)


def _unpaired_starts(kinds: list[int]) -> list[int]:
    """Return for each position the first one with no paired line between the two."""
    starts = []
    start = 0
    for at, kind in enumerate(kinds):
        starts.append(start)
        if kind == _PAIRED:
            start = at + 1
    return starts


def _edits(deleted: bytearray, added: bytearray) -> list[Edit]:
    deletions, additions = groups(deleted), groups(added)
    edits = []
    all_deleted = all_added = 0
    for kept in sorted(deletions.keys() | additions.keys()):
        old, new = kept + all_deleted, kept + all_added
        all_deleted += deletions.get(kept, 0)
        all_added += additions.get(kept, 0)
        edits.append(Edit(old, kept + all_deleted, new, kept + all_added))
    return edits
