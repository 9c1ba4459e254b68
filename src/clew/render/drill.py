"""Text of a restore drill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render import card, checkpoint_title, units, verdicts
from clew.render.columns import field
from clew.render.safe import safe, safe_line, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clew.model.checkpoint import Checkpoint
    from clew.model.drill import Drill, DrillDifference, DrillResult

_SHOWN = 20


def drilled(result: DrillResult, look: Style) -> Iterator[str]:
    """Yield the outcome of a drill: what was compared, what differs, and its check."""
    coverage = result.checkpoint.record.coverage
    yield card.heading(result.checkpoint, look)
    took = units.duration(result.duration_ns)
    if result.drill.is_proven:
        what = units.count(coverage.files, "entry", "entries")
        size = units.size(coverage.total_bytes)
        yield f"  {summary(result.drill, look)}: {what}, {size}, in {took}"
    else:
        what = units.count(result.drill.differing_count, "path")
        yield f"  {summary(result.drill, look)}: {what}"
        yield from _differences(result.differences, result.drill.differing_count)
    if result.limits:
        what = units.count(len(result.limits), "path")
        yield f"  {what} not compared in full:"
        for item in result.limits[:_SHOWN]:
            yield f"    {safe_path(item.path) or '.'}  ({safe_line(item.reason)})"
        if len(result.limits) > _SHOWN:
            yield f"    and {len(result.limits) - _SHOWN:,} more"
    if result.verdict is not None:
        yield from verdicts.ran(result.verdict, look)
        yield f"  ran in {verdicts.place(result.verdict)}"
    for notice in result.notices:
        yield paint(f"  ⚠ {safe(notice)}", "yellow", look)


def fields(drill: Drill, look: Style) -> Iterator[str]:
    """Yield the last drill of a checkpoint, for its card."""
    yield field("drill", summary(drill, look))
    yield from _differences(drill.differences, drill.differing_count)


def summary(drill: Drill, look: Style) -> str:
    """Return `restore proven on 2026-11-18`, coloured."""
    text = checkpoint_title.drill_in_words(drill, look)
    return paint(text, "green" if drill.is_proven else "red", look)


def last(checkpoint: Checkpoint | None, look: Style) -> Iterator[str]:
    """Yield the last drill of a workspace, if there was one."""
    if checkpoint is not None and checkpoint.drill is not None:
        words = checkpoint_title.drill_in_words(checkpoint.drill, look).capitalize()
        text = f"{words}: {checkpoint_title.called(checkpoint)}"
        yield paint(text, "dim" if checkpoint.drill.is_proven else "red", look)


def _differences(found: Iterable[DrillDifference], total: int) -> Iterator[str]:
    shown = list(found)[:_SHOWN]
    for one in shown:
        yield f"    {safe_path(one.path) or '.'}  {safe_line(one.description)}"
    if total > len(shown):
        yield f"    and {total - len(shown):,} more"
