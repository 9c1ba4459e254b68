"""Edit: labels can be mended later; the record they hang on cannot."""

from __future__ import annotations

from clew.errors import BadName
from clew.model.checkpoint import Checkpoint
from clew.model.labels import shorten_intent
from clew.model.reference import check_name
from clew.operations.context import Context


def edit(
    context: Context,
    checkpoint: Checkpoint,
    *,
    intent: str | None,
    name: str | None,
    description: str | None,
    pin: bool | None,
) -> Checkpoint:
    """Change what is said of a checkpoint; None leaves a label as it is."""
    labels = checkpoint.labels
    if intent is not None:
        labels = labels._replace(intent=shorten_intent(intent)[0])
    if description is not None:
        labels = labels._replace(description=shorten_intent(description)[0])
    if name is not None:
        try:
            check_name(name)
        except ValueError as error:
            raise BadName(name, str(error)) from error
        labels = labels._replace(name=name, named=True)
    if pin is not None:
        labels = labels._replace(pinned=pin)
    context.store.require_writable()
    with context.store.database.transaction():
        context.store.checkpoints.label(checkpoint.id, labels)
    return context.mark_here(context.find(checkpoint.id))
