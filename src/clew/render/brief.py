"""The brief: a short message to a model, which no name or label can forge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.ids import short
from clew.render import checkpoint_title, timestamps
from clew.render.json_effects import effect_value
from clew.render.json_session_values import task_value
from clew.render.json_values import checkpoint_value
from clew.render.safe import safe_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.model.effect import Effect
    from clew.model.session_results import Brief
    from clew.render.shapes import sessions
    from clew.render.style import Style

_SHOWN = 8
_TEXT_LIMIT = 160


def lines(brief: Brief, look: Style) -> Iterator[str]:
    """Yield the message."""
    at = brief.checkpoint
    when = timestamps.minute(at.record.time_ns, look)
    yield f"The workspace is now exactly as it was at {checkpoint_title.called(at)}, {when}."
    if at.headline:
        yield f"What changed there: {_quoted(at.headline)}."
    if at.verdict is not None:
        yield f"Its check: {checkpoint_title.verdict(at.verdict)} ({at.verdict.status})."
    if brief.left is not None and brief.undone is not None:
        yield f"Later changes are no longer on disk: {_quoted(brief.undone)}."
        yield f"They are saved as {short(brief.left.id)}; do not assume that they are present."
    if brief.effects:
        yield "These effects outside the workspace were not undone; do not repeat them:"
        yield from _some([_effect(effect) for effect in brief.effects])
    if brief.open_tasks:
        yield "Open tasks:"
        yield from _some(
            [
                f"{task.number}. {safe_line(task.title, _TEXT_LIMIT)} ({task.status})"
                for task in brief.open_tasks
            ]
        )
    yield "Read files again before you change them."


def value(brief: Brief, look: Style) -> sessions.BriefOutput:
    """Return the brief as JSON."""
    return {
        "message": "\n".join(lines(brief, look)),
        "checkpoint": checkpoint_value(brief.checkpoint),
        "before_restore": None if brief.left is None else brief.left.id.hex(),
        "reverted_changes": brief.undone,
        "effects": [effect_value(effect) for effect in brief.effects],
        "open_tasks": [task_value(task) for task in brief.open_tasks],
    }


def _effect(effect: Effect) -> str:
    what = safe_line(effect.act.what, _TEXT_LIMIT) or safe_line(effect.act.tool, _TEXT_LIMIT)
    doubt = " (outcome unknown)" if not effect.is_settled else ""
    undo = f"; undo with: {safe_line(effect.undo, _TEXT_LIMIT)}" if effect.undo else ""
    return f"{what}{doubt}{undo}"


def _some(items: list[str]) -> Iterator[str]:
    for item in items[:_SHOWN]:
        yield f"- {item}"
    if len(items) > _SHOWN:
        yield f"- and {len(items) - _SHOWN} more"


def _quoted(text: str) -> str:
    return safe_line(text, _TEXT_LIMIT).rstrip(".")
