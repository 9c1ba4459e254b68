"""Good: the newest moment that a check vouches for."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.resolve import resolve


def good(context: Context, monitor: Monitor) -> Checkpoint:
    """Return the checkpoint that `good` means, with its headline if somebody told it."""
    checkpoint = resolve(context, "good", monitor)
    kept = context.store.stories.get(checkpoint.id)
    return checkpoint._replace(headline=kept.story.headline if kept is not None else None)
