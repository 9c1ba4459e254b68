"""A merge as text: what both sides changed, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render import checkpoint_title, units
from clew.render.safe import safe_line, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.model.merge_results import Conflict, Merge

_SHOWN = 20
"""Paths of one kind that are listed; JSON has all of them."""


def doing(merge: Merge) -> str:
    """Return what a merge does, as the beginning of a sentence."""
    if merge.name:
        return f"Adopting {safe_line(merge.name)}"
    return f"Going back to {checkpoint_title.called(merge.theirs)} and keeping later edits"


def nothing(merge: Merge) -> str:
    """Return the sentence for a merge that has nothing to take."""
    if merge.name:
        return f"There is nothing to adopt from {safe_line(merge.name)}"
    return f"There is nothing to take back to {checkpoint_title.called(merge.theirs)}"


def blocked(merge: Merge, look: Style) -> Iterator[str]:
    """Yield the conflicts that nobody has decided."""
    number = units.count(len(merge.conflicts), "conflict")
    yield f"{doing(merge)} is held up by {paint(number, 'red', look)}"
    yield from _listed(merge.conflicts, "  ")


def would_merge(merge: Merge, look: Style) -> Iterator[str]:
    """Yield what a preview says of files that both sides changed."""
    yield from _merged("merge", merge)
    if merge.conflicts:
        number = units.count(len(merge.conflicts), "conflict")
        yield paint(f"  decide {number} for {merge.favour}", "yellow", look)
        yield from _listed(merge.conflicts)


def was_merged(merge: Merge) -> Iterator[str]:
    """Yield what a result says of them."""
    yield from _merged("merged", merge)
    if merge.conflicts:
        yield f"  decided {units.count(len(merge.conflicts), 'conflict')} for {merge.favour}"
        yield from _listed(merge.conflicts)


def _merged(verb: str, merge: Merge) -> Iterator[str]:
    if not merge.merged:
        return
    yield f"  {verb} {units.count(len(merge.merged), 'file')} that both changed"
    for path in merge.merged[:_SHOWN]:
        yield f"      {safe_path(path)}"
    yield from _more(len(merge.merged))


def _listed(conflicts: Sequence[Conflict], margin: str = "      ") -> Iterator[str]:
    for conflict in conflicts[:_SHOWN]:
        yield f"{margin}{safe_path(conflict.path) or '.'}: {conflict.reason}"
    yield from _more(len(conflicts), margin)


def _more(number: int, margin: str = "      ") -> Iterator[str]:
    if number > _SHOWN:
        yield f"{margin}and {number - _SHOWN:,} more; --json lists all"
