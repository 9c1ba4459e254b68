"""Outstanding effects: those that came after a checkpoint and still stand."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.effect import Effect
from clew.model.position import Position
from clew.operations.context import Context


def outstanding_effects(context: Context, target: Checkpoint) -> list[Effect]:
    """Return the effects that stand, or may, and that a checkpoint does not know."""
    forgotten = set(forgotten_at(context, target.record.position))
    if not forgotten:
        return []
    every = context.store.effects.of(context.workspace)
    return [effect for effect in every if effect.number in forgotten and effect.may_stand]


def forgotten_at(context: Context, position: Position) -> list[int]:
    """Return the numbers of all effects that are not known at `position`."""
    last = context.store.effects.last_number(context.workspace)
    return [*position.forgotten, *range(position.effects + 1, last + 1)]
