"""Ancestors of checkpoints, by the parents in their records.

The first record of a fork has a checkpoint of another workspace as its parent, so a line of parents
can lead from one workspace into another.
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
    """Return the nearest common ancestor that still exists, and how many deleted ones were skipped.

    A checkpoint that is an ancestor of all the others is itself the answer.
    """
    first, *others = dict.fromkeys(identifiers)
    lines = [set(line_from(context, other)) for other in others]
    for candidate in line_from(context, first):
        if all(candidate in line for line in lines):
            return context.store.checkpoints.surviving(candidate)
    return None, 0
