"""Text of effects: actions outside the workspace, and their results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.effect import EffectOutcome
from clew.render import timestamps
from clew.render.safe import safe_line
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.model.effect import Effect
    from clew.model.session_results import EffectList

_COLOURS = {
    EffectOutcome.UNKNOWN: "yellow",
    EffectOutcome.FAILED: "red",
    EffectOutcome.UNDONE: "dim",
}


def listed(found: EffectList, look: Style) -> Iterator[str]:
    """Yield one line for each effect, newest last; mark those that a restore removed from history."""
    for effect in found.effects:
        forgotten = effect.number in found.forgotten and effect.may_stand
        note = paint("  no longer in history", "yellow", look) if forgotten else ""
        yield f"{timestamps.short(effect.time_ns, look)}  {line(effect, look)}{note}"


def one(effect: Effect, look: Style) -> Iterator[str]:
    """Yield an effect that was just recorded or settled."""
    yield line(effect, look)


def outstanding(effects: Sequence[Effect], look: Style) -> Iterator[str]:
    """Yield the effects that a restore does not undo."""
    if not effects:
        return
    what = "effect is" if len(effects) == 1 else "effects are"
    yield paint(f"  {len(effects)} {what} not undone:", "yellow", look)
    for effect in effects:
        yield f"      {line(effect, look)}"


def line(effect: Effect, look: Style) -> str:
    """Return `3  done  deploy web v3  (undo: deploy web v2)`."""
    what = safe_line(effect.act.what) or safe_line(effect.act.tool)
    status = paint(effect.status, _COLOURS.get(effect.status, ""), look)
    text = f"{effect.number}  {status}  {what}"
    if effect.outcome:
        text += f": {safe_line(effect.outcome)}"
    return f"{text}  (undo: {safe_line(effect.undo)})" if effect.undo else text
