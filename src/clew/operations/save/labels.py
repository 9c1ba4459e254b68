"""Edit the labels of a checkpoint; its record never changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    notes: Sequence[str] = (),
) -> Checkpoint:
    """Change the labels of a checkpoint; None leaves a label unchanged, as does a missing key.

    An empty text removes a label, a meta key, or all notes; other notes are appended.
    """
    labels = checkpoint.labels
    if intent is not None:
        labels = labels._replace(intent=label(intent), is_intent_from_git=False)
    if description is not None:
        labels = labels._replace(description=label(description))
    if name is not None:
        require_good_name(name)
        labels = labels._replace(name=name, named=True)
    if pin is not None:
        labels = labels._replace(pinned=pin)
    if meta:
        changed = {**dict(labels.meta), **dict(meta_labels(meta.items()))}
        labels = labels._replace(meta=tuple(sorted(pair for pair in changed.items() if pair[1])))
    for note in map(label, notes):
        labels = labels._replace(notes=(*labels.notes, note) if note.strip() else ())
    context.store.require_writable()
    with context.store.database.transaction():
        context.store.checkpoints.label(checkpoint.id, labels)
    return context.mark_here(context.find(checkpoint.id))
