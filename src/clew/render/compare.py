"""Text of a comparison: one line for each state, then the paths by the states that changed them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.change import ChangeKind
from clew.model.shorten import shorten_to_width
from clew.render import checkpoint_title, folded, units
from clew.render.safe import safe_line, safe_path
from clew.render.sandbox import table
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.model.sandbox_results import ComparedPath, ComparedState, Comparison

_LARGEST_VERDICT = 24
_PATHS_SHOWN = 20
_PLACES_SHOWN = 8


def compared(found: Comparison, look: Style, *, everything: bool = False) -> Iterator[str]:
    """Yield each state since the common ancestor, and the paths that they changed.

    Generated directories are counted, unless `everything` is to be listed.
    """
    yield f"Since {checkpoint_title.called(found.ancestor)}:"
    yield from table([_row(state) for state in found.states], look)
    names = [safe_line(state.name) for state in found.states]
    groups: dict[tuple[tuple[int, ...], bool], list[ComparedPath]] = {}
    for one in found.paths:
        groups.setdefault((tuple(one.changed_by), one.is_same), []).append(one)
    for (states, is_same), paths in sorted(groups.items(), key=_disagreement_first):
        yield ""
        yield paint(_heading([names[state] for state in states], is_same), "bold", look)
        yield from _paths(paths) if everything else _folded(paths, found.generated, look)


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


def _folded(paths: list[ComparedPath], generated: tuple[bytes, ...], look: Style) -> Iterator[str]:
    written, places = folded.by_place([one.path for one in paths], generated)
    yield from _paths([paths[at] for at in written[:_PATHS_SHOWN]])
    left = len(written) - _PATHS_SHOWN
    if left > 0:
        yield f"  and {left:,} more"
    for label, number in places[:_PLACES_SHOWN]:
        yield paint(f"     {label}  {units.count(number, 'path')}", "dim", look)
    others = places[_PLACES_SHOWN:]
    if others:
        number = sum(number for _, number in others)
        text = f"     {len(others):,} other generated places  {units.count(number, 'path')}"
        yield paint(text, "dim", look)
    if left > 0 or places:
        yield paint(f"  `--all` lists all {units.count(len(paths), 'path')}", "dim", look)


def _paths(paths: list[ComparedPath]) -> Iterator[str]:
    for one in paths:
        letters = [ChangeKind.LETTERS[kind] for kind in one.kinds if kind is not None]
        letter = letters[0] if one.is_same else "/".join(letters)
        yield f"  {letter}  {safe_path(one.path) or '.'}"
