"""Text of the question before a restore, and of the line that is shown where it is not asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.ids import short
from clew.render import checkpoint_title
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.model.restore_results import RestorePreview


def question(*, can_choose: bool, can_diff: bool) -> str:
    """Return the question with the keys that answer it."""
    keys = ["[y]es", "[N]o"]
    if can_choose:
        keys.append("[i] choose files")
    if can_diff:
        keys.append("[d]iff")
    return f"Proceed? {', '.join(keys)}: "


def unsaved_parts(plan: RestorePreview, look: Style) -> Iterator[str]:
    """Yield a conversation and tasks that no checkpoint holds; the preview lists such files."""
    if plan.unsaved_parts:
        what = f"an unsaved {' and '.join(plan.unsaved_parts)}"
        yield paint(f"This replaces {what}", "yellow", look)


def not_asked(plan: RestorePreview, way_back: str) -> str:
    """Return what is done without a question, why that is safe, and the command that reverses it."""
    numbers = (
        (len(plan.replaced), "replaced"),
        (len(plan.deleted), "deleted"),
        (len(plan.metadata), "with metadata changed"),
    )
    what = ", ".join(f"{number:,} {word}" for number, word in numbers if number)
    held = (
        "the current state is saved first"
        if plan.overwrites_unsaved
        else "the current checkpoint has all of it"
    )
    back = f"; `clew {way_back}` reverses this" if way_back else ""
    return f"Not asking: {held}" + (f" ({what})" if what else "") + back


def diff_heading(plan: RestorePreview) -> Iterator[str]:
    """Yield what the signs of the diff mean for the restore."""
    yield f"From {checkpoint_title.called(plan.target)} to the workspace as it is:"
    yield "a restore takes lines with + away, and brings lines with - back"


def diff_goes_on(plan: RestorePreview) -> str:
    return f"… `clew diff {short(plan.target.id)} --patch` shows the rest"
