"""Ancestry: where moments parted, by the parents that their records name.

A fork's first record names a checkpoint of another workspace as its parent, so a line of parents
leads from one workspace into another by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.model.ids import CheckpointId
from clew.operations.context import Context


def line_from(context: Context, identifier: CheckpointId) -> Iterator[CheckpointId]:
    """Yield a checkpoint and its ancestors, nearest first, deleted ones included."""
    current: CheckpointId | None = identifier
    while current is not None:
        yield current
        current = context.store.checkpoints.parent(current)


def nearest_common(
    context: Context, identifiers: Sequence[CheckpointId]
) -> tuple[CheckpointId | None, int]:
    """Return the nearest checkpoint from which all came, and how many deleted ones were passed.

    One that is an ancestor of all the others is that checkpoint itself.
    """
    first, *others = dict.fromkeys(identifiers)
    lines = [set(line_from(context, other)) for other in others]
    for candidate in line_from(context, first):
        if all(candidate in line for line in lines):
            return context.store.checkpoints.surviving(candidate)
    return None, 0
