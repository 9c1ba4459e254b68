"""The warning that a store exceeds its byte budget, with what pruning would free."""

from __future__ import annotations

from clew.model.amount import size_text
from clew.operations.context import Context
from clew.operations.maintenance.budget import (
    budget_of,
    is_over_budget,
    known_prunable,
    packed_bytes,
    remember_prunable,
)
from clew.operations.maintenance.prune import prunable_bytes
from clew.operations.maintenance.settings import MAX_BYTES, in_force

_FEW_OBJECTS = 5_000
"""A store with fewer objects is measured now, in milliseconds; a larger one by the last prune."""


def budget_warning(context: Context, *, remember: bool = False) -> str | None:
    """Return the size of the store, its budget and what pruning would free; None within the budget.

    With `remember`, the latter is written to the store.  The caller holds the store's shared lock.
    """
    if not is_over_budget(context):
        return None
    taken, budget = size_text(packed_bytes(context)), size_text(budget_of(context))
    what = f"The store uses {taken}, more than max-bytes {budget}"
    command = f"clew prune --max-bytes {in_force(context)[MAX_BYTES]}"
    freed = _prunable(context, remember)
    if freed is None:
        return f"{what}; `{command} --dry-run` shows what pruning would free"
    if not freed:
        return f"{what}; pruning automatic checkpoints would free nothing"
    return f"{what}; `{command}` would free up to {size_text(freed)} of automatic checkpoints"


def _prunable(context: Context, remember: bool) -> int | None:
    row = context.store.database.one(
        "SELECT count(*) FROM (SELECT 1 FROM objects LIMIT ?)", (_FEW_OBJECTS,)
    )
    if row is not None and row[0] < _FEW_OBJECTS:
        freed = prunable_bytes(context)
        if remember:
            remember_prunable(context, freed)
        return freed
    return known_prunable(context)
