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
    yield from table([_row(state) for state in found.states], look)
    names = [safe_line(state.name) for state in found.states]
    groups: dict[tuple[tuple[int, ...], bool], list[ComparedPath]] = {}
    for one in found.paths:
        groups.setdefault((tuple(one.changed_by), one.is_same), []).append(one)
    for (states, is_same), paths in sorted(groups.items(), key=_disagreement_first):
        yield ""
        yield paint(_heading([names[state] for state in states], is_same), "bold", look)
        yield from _paths(paths)


def _row(state: ComparedState) -> tuple[str, ...]:
    verdict = state.checkpoint.verdict
    return (
        safe_line(state.name),
        shorten_to_width(checkpoint_title.verdict(verdict), _LARGEST_VERDICT) if verdict else "",
        checkpoint_title.counts(state.changes),
        safe_line(state.story.headline),
    )


def _disagreement_first(
    item: tuple[tuple[tuple[int, ...], bool], list[ComparedPath]],
) -> tuple[int, object]:
    """Sort key: different changes first, then paths that one state changed, then identical changes."""
    (states, is_same), _ = item
    if not is_same:
        return 0, states
    return (1 if len(states) == 1 else 2), states


def _heading(names: list[str], is_same: bool) -> str:
    if len(names) == 1:
        return f"Changed by {names[0]} only:"
    who = ", ".join(names[:-1]) + f" and {names[-1]}"
    return f"Changed by {who}, {'identically' if is_same else 'differently'}:"


def _paths(paths: list[ComparedPath]) -> Iterator[str]:
    for one in paths[:_PATHS_SHOWN]:
        letters = [ChangeKind.LETTERS[kind] for kind in one.kinds if kind is not None]
        letter = letters[0] if one.is_same else "/".join(letters)
        yield f"  {letter}  {safe_path(one.path) or '.'}"
    if len(paths) > _PATHS_SHOWN:
        yield f"  and {len(paths) - _PATHS_SHOWN:,} more; --json lists all"
