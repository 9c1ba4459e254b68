"""Text of the questions about single paths of a restore."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from clew.render import checkpoint_title
from clew.render.safe import safe_path
from clew.render.style import Style, paint
from clew.render.units import count, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.model.restore_results import RestorePreview
    from clew.policy.path_groups import PathGroup

PATCHED = 50
"""Paths whose diff is shown for a directory."""
_PATCH_LINES = 400

_COLOURS = {"delete": "red", "replace": "yellow"}


def heading(plan: RestorePreview, total: int) -> Iterator[str]:
    """Yield what is asked about."""
    yield f"{count(total, 'path')} would change in a restore of {checkpoint_title.called(plan.target)}"
    yield "Choose those to restore; only files are restored, and `?` explains the keys"


def about(group: PathGroup, unsaved: frozenset[bytes], look: Style) -> Iterator[str]:
    """Yield one line about a path, or about the paths below a directory."""
    yield ""
    planned = group.planned
    if not group.below:
        assert planned is not None, "a path without paths below it has its own change"
        amount = f", {size(planned.size)}" if planned.size else ""
        note = ", unsaved changes would be lost" if group.path in unsaved else ""
        text = f"{group.verb} {safe_path(group.path) or '.'}{amount}{note}"
        yield paint(text, _COLOURS.get(group.verb, ""), look)
        return
    verbs: Counter[str] = Counter()
    total = lost = 0
    for leaf in group.leaves():
        verbs[leaf.verb] += 1
        total += leaf.planned.size if leaf.planned is not None else 0
        lost += leaf.path in unsaved
    what = ", ".join(f"{verb} {number:,}" for verb, number in verbs.items())
    note = f", {lost:,} with unsaved changes" if lost else ""
    yield paint(
        f"{safe_path(group.path)}/: {what} paths, {size(total)}{note}",
        "red" if "delete" in verbs else "yellow" if "replace" in verbs else "",
        look,
    )


def keys(*, is_directory: bool) -> Iterator[str]:
    """Yield what each key does."""
    yield "y  restore it" if not is_directory else "y  restore all of it"
    yield "n  leave it as it is"
    if is_directory:
        yield "o  open it: ask about what is in it"
    yield "a  restore it and everything that follows in the same place"
    yield "d  leave it and everything that follows in the same place"
    yield "p  show its diff"
    yield "q  ask no more: leave the rest as it is"


def stopped(accepted: int) -> str:
    """Return the question about what was chosen before `q`."""
    return f"Restore the {count(accepted, 'path')} chosen so far?"


def shown_patch(lines: Iterator[str], total: int) -> Iterator[str]:
    """Yield the first lines of a diff, and what is missing."""
    yield "(a restore takes lines with + away, and brings lines with - back)"
    yield from islice(lines, _PATCH_LINES)
    if next(lines, None) is not None:
        yield f"… the first {_PATCH_LINES} lines"
    if total > PATCHED:
        yield f"… of the first {PATCHED} of {count(total, 'path')}"
