"""Edit the labels of a checkpoint; its record never changes."""

from __future__ import annotations

from collections.abc import Mapping

from clew.model.checkpoint import Checkpoint
from clew.operations.context import Context
from clew.operations.save.commit import require_good_name
from clew.policy.labels import label, meta_labels


def edit(
    context: Context,
    checkpoint: Checkpoint,
    *,
    intent: str | None,
    name: str | None,
    description: str | None,
    pin: bool | None,
    meta: Mapping[str, str] | None = None,
) -> Checkpoint:
    """Change the labels of a checkpoint; None leaves a label unchanged, as does a missing key."""
    labels = checkpoint.labels
    if intent is not None:
        labels = labels._replace(intent=label(intent))
    if description is not None:
        labels = labels._replace(description=label(description))
    if name is not None:
        require_good_name(name)
        labels = labels._replace(name=name, named=True)
    if pin is not None:
        labels = labels._replace(pinned=pin)
    if meta:
        changed = {**dict(labels.meta), **dict(meta_labels(meta.items()))}
        labels = labels._replace(meta=tuple(sorted(changed.items())))
    context.store.require_writable()
    with context.store.database.transaction():
        context.store.checkpoints.label(checkpoint.id, labels)
    return context.mark_here(context.find(checkpoint.id))
