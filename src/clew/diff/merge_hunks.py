"""Which lines of two edits of one text to take, and where they conflict.

Edits that do not touch are both made.  Where they touch, equal ones are made once, and others are a
conflict.  Lines that both sides of a conflict share are moved out of it, which may cut it in
several.  Conflicts that are then three lines apart or less, or apart by lines without a letter or
digit, become one again, because a person has to look at both anyway.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from clew.diff.edits import Edit, find_edits
from clew.diff.myers import Effort
from clew.model.named_tuple import NamedTuple

OURS, THEIRS, EQUAL = "ours", "theirs", "equal"

_NEAR = 3
"""Lines between two conflicts that do not keep them apart."""

_LETTER_OR_DIGIT = re.compile(rb"[0-9A-Za-z]")


class MergeText(NamedTuple):
    """The lines as they are, and as numbers that are equal for equal lines."""

    lines: list[bytes]
    ids: list[int]


class Hunk(NamedTuple):
    """Lines of ours and of theirs that stand for the same lines of the base."""

    side: str | None
    """Which of them to take, or that they are equal; None is a conflict."""
    ours: int
    ours_end: int
    theirs: int
    theirs_end: int

    @property
    def is_conflict(self) -> bool:
        return self.side is None


def find_hunks(base: MergeText, ours: MergeText, theirs: MergeText) -> list[Hunk]:
    """Return where not simply ours is to be taken, in order."""
    effort = Effort()
    our_edits = find_edits(base.ids, ours.ids, effort)
    their_edits = find_edits(base.ids, theirs.ids, effort)

    def equal(one: Edit, two: Edit) -> bool:
        # an edit of other lines is another edit, even if the same lines come
        return one[:2] == two[:2] and (
            ours.ids[one.new : one.new_end] == theirs.ids[two.new : two.new_end]
        )

    drifts = len(ours.ids) - len(base.ids), len(theirs.ids) - len(base.ids)
    hunks = _brought_together(our_edits, their_edits, drifts, equal)
    refined = [part for hunk in hunks for part in _refined(hunk, ours.ids, theirs.ids, effort)]
    return _joined(refined, ours.lines)


def _brought_together(
    our_edits: list[Edit],
    their_edits: list[Edit],
    drifts: tuple[int, int],
    equal: Callable[[Edit, Edit], bool],
) -> list[Hunk]:
    """Walk along the base and return the edits of both sides; `drifts` are how long each grew."""
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
    """Return both edits, each widened to the lines of the base that either touches."""
    start, end = min(one.old, two.old), max(one.old_end, two.old_end)
    return Hunk(
        None,
        one.new - (one.old - start),
        one.new_end + (end - one.old_end),
        two.new - (two.old - start),
        two.new_end + (end - two.old_end),
    )


def _append(hunks: list[Hunk], hunk: Hunk) -> None:
    """Add `hunk`, or make it and the last one a conflict if they touch."""
    last = hunks[-1] if hunks else None
    if last is None or hunk.ours > last.ours_end:
        hunks.append(hunk)
    else:
        hunks[-1] = Hunk(None, last.ours, hunk.ours_end, last.theirs, hunk.theirs_end)


def _refined(hunk: Hunk, ours: list[int], theirs: list[int], effort: Effort) -> list[Hunk]:
    """Return the parts of a conflict in which the sides really differ."""
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


def _joined(hunks: list[Hunk], ours: list[bytes]) -> list[Hunk]:
    """Return the hunks with conflicts that are close to each other made one."""
    joined: list[Hunk] = []
    for hunk in hunks:
        if joined and _are_one(joined[-1], hunk, ours):
            first = joined.pop()
            hunk = Hunk(None, first.ours, hunk.ours_end, first.theirs, hunk.theirs_end)
        joined.append(hunk)
    return joined


def _are_one(first: Hunk, second: Hunk, ours: list[bytes]) -> bool:
    if not (first.is_conflict and second.is_conflict):
        return False
    between = ours[first.ours_end : second.ours]
    return len(between) <= _NEAR or not any(map(_LETTER_OR_DIGIT.search, between))
