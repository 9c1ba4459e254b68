"""Text of a comparison: one line for each state, then the paths by the states that changed them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.change import ChangeKind
from clew.model.shorten import shorten_to_width
from clew.render import checkpoint_title
from clew.render.safe import safe_line, safe_path
from clew.render.sandbox import table
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.model.sandbox_results import ComparedPath, ComparedState, Comparison

_LARGEST_VERDICT = 24
_PATHS_SHOWN = 30


def compared(found: Comparison, look: Style) -> Iterator[str]:
    """Yield each state since the common ancestor, and the paths that they changed."""
    yield f"Since {checkpoint_title.called(found.ancestor)}:"
    yield from table([_row(side) for side in found.sides], look)
    names = [safe_line(side.name) for side in found.sides]
    groups: dict[tuple[tuple[int, ...], bool], list[ComparedPath]] = {}
    for one in found.paths:
        groups.setdefault((tuple(one.changed_by), one.agreed), []).append(one)
    for (sides, agreed), paths in sorted(groups.items(), key=_disagreement_first):
        yield ""
        yield paint(_heading([names[side] for side in sides], agreed), "bold", look)
        yield from _paths(paths)


def _row(side: ComparedState) -> tuple[str, ...]:
    verdict = side.checkpoint.verdict
    return (
        safe_line(side.name),
        shorten_to_width(checkpoint_title.verdict(verdict), _LARGEST_VERDICT) if verdict else "",
        checkpoint_title.counts(side.changes),
        safe_line(side.story.headline),
    )


def _disagreement_first(
    item: tuple[tuple[tuple[int, ...], bool], list[ComparedPath]],
) -> tuple[int, object]:
    """Sort key: different changes first, then paths that one state changed, then identical changes."""
    (sides, agreed), _ = item
    if not agreed:
        return 0, sides
    return (1 if len(sides) == 1 else 2), sides


def _heading(names: list[str], agreed: bool) -> str:
    if len(names) == 1:
        return f"Changed by {names[0]} only:"
    who = ", ".join(names[:-1]) + f" and {names[-1]}"
    return f"Changed by {who}, {'identically' if agreed else 'differently'}:"


def _paths(paths: list[ComparedPath]) -> Iterator[str]:
    for one in paths[:_PATHS_SHOWN]:
        letters = [ChangeKind.LETTERS[kind] for kind in one.kinds if kind is not None]
        letter = letters[0] if one.agreed else "/".join(letters)
        yield f"  {letter}  {safe_path(one.path) or '.'}"
    if len(paths) > _PATHS_SHOWN:
        yield f"  and {len(paths) - _PATHS_SHOWN:,} more; --json lists all"
