"""JSON of effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render.timestamps import rfc3339

if TYPE_CHECKING:
    from clew.model.effect import Effect
    from clew.model.session_results import EffectList
    from clew.render.shapes import sessions


def effect_value(effect: Effect) -> sessions.Effect:
    """Return an effect without the arguments of its tool, which may contain secrets."""
    settled = effect.settled_ns
    return {
        "number": effect.number,
        "session": effect.session or None,
        "action": effect.act.what,
        "tool": effect.act.tool,
        "status": effect.status,
        "outcome": effect.outcome,
        "is_reversible": effect.reversible,
        "undo": effect.undo,
        "time": rfc3339(effect.time_ns),
        "settled_time": None if settled is None else rfc3339(settled),
    }


def listed(found: EffectList) -> sessions.EffectListOutput:
    return {
        "effects": [effect_value(effect) for effect in found.effects],
        "effects_not_in_history": list(found.forgotten),
    }


def one(effect: Effect) -> sessions.EffectOutput:
    return {"effect": effect_value(effect)}
