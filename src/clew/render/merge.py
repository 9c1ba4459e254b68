"""Text of a merge: merged files and conflicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render import checkpoint_title, units
from clew.render.safe import safe_line, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.model.merge_results import Conflict, Merge

_SHOWN = 20
"""Paths listed per kind; JSON has all of them."""


def doing(merge: Merge) -> str:
    """Return the start of a sentence about the merge."""
    if merge.name:
        return f"Adopting {safe_line(merge.name)}"
    return f"Restoring {checkpoint_title.called(merge.theirs)} and keeping later edits"


def nothing(merge: Merge) -> str:
    """Return the sentence for a merge that has nothing to take."""
    if merge.name:
        return f"Nothing to adopt from {safe_line(merge.name)}"
    return f"Nothing to restore from {checkpoint_title.called(merge.theirs)}"


def blocked(merge: Merge, look: Style) -> Iterator[str]:
    """Yield the unresolved conflicts."""
    number = units.count(len(merge.conflicts), "conflict")
    yield f"{doing(merge)} is blocked by {paint(number, 'red', look)}"
    yield from _listed(merge.conflicts, "  ")


def would_merge(merge: Merge, look: Style) -> Iterator[str]:
    """Yield the merged files and conflicts of a preview."""
    yield from _merged("merge", merge)
    if merge.conflicts:
        number = units.count(len(merge.conflicts), "conflict")
        yield paint(f"  resolve {number} in favour of {merge.favour}", "yellow", look)
        yield from _listed(merge.conflicts)


def was_merged(merge: Merge) -> Iterator[str]:
    """Yield the merged files and conflicts of a result."""
    yield from _merged("merged", merge)
    if merge.conflicts:
        number = units.count(len(merge.conflicts), "conflict")
        yield f"  resolved {number} in favour of {merge.favour}"
        yield from _listed(merge.conflicts)


def _merged(verb: str, merge: Merge) -> Iterator[str]:
    if not merge.merged:
        return
    yield f"  {verb} {units.count(len(merge.merged), 'file')} changed on both sides"
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
