"""Merge hunks: which lines of two edited versions of a text to take, and where they conflict.

Edits that do not touch are both applied.  Edits that touch are applied once if equal, and otherwise
conflict.  Lines that both sides of a conflict share are moved out of it, which may split it.
Conflicts that are then at most three lines apart, or separated only by lines without a letter or
digit, are joined again, because a person has to read both anyway.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from clew.diff.edits import Edit, find_edits
from clew.diff.myers import Effort
from clew.model.named_tuple import NamedTuple

OURS, THEIRS, EQUAL = "ours", "theirs", "equal"

_NEAR = 3
"""Conflicts with at most this many lines between them are joined."""

_LETTER_OR_DIGIT = re.compile(rb"[0-9A-Za-z]")


class MergeText(NamedTuple):
    """The lines of a text, and as numbers that are equal for equal lines."""

    lines: list[bytes]
    ids: list[int]


class Hunk(NamedTuple):
    """Ranges of ours and of theirs that correspond to the same lines of the base."""

    side: str | None
    """Which of them to take, or EQUAL; None is a conflict."""
    ours: int
    ours_end: int
    theirs: int
    theirs_end: int

    @property
    def is_conflict(self) -> bool:
        return self.side is None


def find_hunks(base: MergeText, ours: MergeText, theirs: MergeText) -> list[Hunk]:
    """Return the hunks, in order; outside of them the merge is ours."""
    effort = Effort()
    our_edits = find_edits(base.ids, ours.ids, effort)
    their_edits = find_edits(base.ids, theirs.ids, effort)

    def equal(one: Edit, two: Edit) -> bool:
        # Edits of different base lines are different, even if they add the same lines.
        return one[:2] == two[:2] and (
            ours.ids[one.new : one.new_end] == theirs.ids[two.new : two.new_end]
        )

    drifts = len(ours.ids) - len(base.ids), len(theirs.ids) - len(base.ids)
    hunks = _combine(our_edits, their_edits, drifts, equal)
    refined = [part for hunk in hunks for part in _refine(hunk, ours.ids, theirs.ids, effort)]
    return _join(refined, ours.lines)


def _combine(
    our_edits: list[Edit],
    their_edits: list[Edit],
    drifts: tuple[int, int],
    equal: Callable[[Edit, Edit], bool],
) -> list[Hunk]:
    """Walk along the base and return the edits of both sides; `drifts` are the added lines of each."""
    hunks: list[Hunk] = []
    at = their_at = 0
    while at < len(our_edits) and their_at < len(their_edits):
        one, two = our_edits[at], their_edits[their_at]
        if one.old_end < two.old:
            _append(hunks, _ours(one, two.new - two.old))
            at += 1
        elif two.old_end < one.old:
            _append(hunks, _theirs(two, one.new - one.old))
            their_at += 1
        else:
            if not equal(one, two):
                _append(hunks, _conflict(one, two))
            at += one.old_end <= two.old_end
            their_at += two.old_end <= one.old_end
    for edit in our_edits[at:]:
        _append(hunks, _ours(edit, drifts[1]))
    for edit in their_edits[their_at:]:
        _append(hunks, _theirs(edit, drifts[0]))
    return hunks


def _ours(edit: Edit, their_drift: int) -> Hunk:
    return Hunk(OURS, edit.new, edit.new_end, edit.old + their_drift, edit.old_end + their_drift)


def _theirs(edit: Edit, our_drift: int) -> Hunk:
    return Hunk(THEIRS, edit.old + our_drift, edit.old_end + our_drift, edit.new, edit.new_end)


def _conflict(one: Edit, two: Edit) -> Hunk:
    """Return both edits, each widened to all base lines that either of them touches."""
    start, end = min(one.old, two.old), max(one.old_end, two.old_end)
    return Hunk(
        None,
        one.new - (one.old - start),
        one.new_end + (end - one.old_end),
        two.new - (two.old - start),
        two.new_end + (end - two.old_end),
    )


def _append(hunks: list[Hunk], hunk: Hunk) -> None:
    """Append `hunk`, or turn it and the last one into a conflict if they touch."""
    last = hunks[-1] if hunks else None
    if last is None or hunk.ours > last.ours_end:
        hunks.append(hunk)
    else:
        hunks[-1] = Hunk(None, last.ours, hunk.ours_end, last.theirs, hunk.theirs_end)


def _refine(hunk: Hunk, ours: list[int], theirs: list[int], effort: Effort) -> list[Hunk]:
    """Return the parts of a conflict in which the sides differ."""
    our_part, their_part = ours[hunk.ours : hunk.ours_end], theirs[hunk.theirs : hunk.theirs_end]
    if not hunk.is_conflict or not our_part or not their_part:
        return [hunk]
    if our_part == their_part:
        return [hunk._replace(side=EQUAL)]
    return [
        Hunk(
            None,
            hunk.ours + edit.old,
            hunk.ours + edit.old_end,
            hunk.theirs + edit.new,
            hunk.theirs + edit.new_end,
        )
        for edit in find_edits(our_part, their_part, effort)
    ]


def _join(hunks: list[Hunk], ours: list[bytes]) -> list[Hunk]:
    """Return the hunks with conflicts that are close to each other joined."""
    joined: list[Hunk] = []
    for hunk in hunks:
        if joined and _are_close(joined[-1], hunk, ours):
            first = joined.pop()
            hunk = Hunk(None, first.ours, hunk.ours_end, first.theirs, hunk.theirs_end)
        joined.append(hunk)
    return joined


def _are_close(first: Hunk, second: Hunk, ours: list[bytes]) -> bool:
    if not (first.is_conflict and second.is_conflict):
        return False
    between = ours[first.ours_end : second.ours]
    return len(between) <= _NEAR or not any(map(_LETTER_OR_DIGIT.search, between))
