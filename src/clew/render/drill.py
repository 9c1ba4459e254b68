"""Text of the last restore drill of a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render import checkpoint_title
from clew.render.columns import field
from clew.render.safe import safe_line, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clew.model.checkpoint import Checkpoint
    from clew.model.drill import Drill, DrillDifference

_SHOWN = 20


def fields(drill: Drill, look: Style) -> Iterator[str]:
    """Yield the last drill of a checkpoint, for its card."""
    yield field("drill", summary(drill, look))
    yield from differences(drill.differences, drill.differing_count)


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


def differences(found: Iterable[DrillDifference], total: int) -> Iterator[str]:
    """Yield the first paths that differ, and how many more there are."""
    shown = list(found)[:_SHOWN]
    for one in shown:
        yield f"    {safe_path(one.path) or '.'}  {safe_line(one.description)}"
    if total > len(shown):
        yield f"    and {total - len(shown):,} more"
