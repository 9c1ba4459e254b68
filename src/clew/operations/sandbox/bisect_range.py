"""The checkpoints that a bisect searches, oldest first.

By default this is the line of parents from a good checkpoint to the bad one.  A line can cross
workspaces, because the first record of a fork has its parent in another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clew.errors import GoodNewerThanBad, UsageError
from clew.model.checkpoint import Checkpoint
from clew.model.ids import short
from clew.model.named_tuple import NamedTuple
from clew.operations.context import Context
from clew.operations.history.ancestry import line_from

Vouched = Callable[[Checkpoint], bool]


class Range(NamedTuple):
    """The checkpoints from a good one to a bad one, oldest first."""

    checkpoints: tuple[Checkpoint, ...]
    deleted: int = 0
    """How many between them were deleted."""


def range_to(context: Context, bad: Checkpoint, vouched: Vouched) -> Range:
    """Return the line to `bad` from the newest ancestor known to pass, else from the oldest."""
    found, _ = _line(context, bad, lambda one: one.id != bad.id and vouched(one))
    return found


def range_between(context: Context, good: Checkpoint, bad: Checkpoint) -> Range:
    """Return the line from `good` to `bad`, or the timeline if no line leads there."""
    found, is_whole = _line(context, bad, lambda one: one.id == good.id)
    if is_whole:
        return found
    if good.record.workspace != bad.record.workspace:
        raise UsageError(f"Not an ancestor of checkpoint {short(bad.id)}: {short(good.id)}")
    if good.record.sequence > bad.record.sequence or bad.id in line_from(context, good.id):
        raise GoodNewerThanBad(short(good.id), short(bad.id))
    return Range((good, *reversed(list(_timeline(context, good, bad))), bad))


def _line(
    context: Context, bad: Checkpoint, is_end: Callable[[Checkpoint], bool]
) -> tuple[Range, bool]:
    """Return the ancestors of `bad` up to an end, and whether the end was reached."""
    found: list[Checkpoint] = []
    deleted = gone = 0
    for identifier in line_from(context, bad.id):
        checkpoint = context.store.checkpoints.get(identifier)
        if checkpoint is None:
            gone += 1
            continue
        found.append(checkpoint)
        deleted, gone = deleted + gone, 0
        if is_end(checkpoint):
            return Range(tuple(reversed(found)), deleted), True
    return Range(tuple(reversed(found)), deleted), False


def _timeline(context: Context, good: Checkpoint, bad: Checkpoint) -> Iterator[Checkpoint]:
    """Yield the checkpoints between two of one workspace, newest first."""
    newest_first = context.store.checkpoints.newest_first
    for checkpoint in newest_first(bad.record.workspace, before=bad.record.sequence):
        if checkpoint.record.sequence <= good.record.sequence:
            return
        if not checkpoint.is_rescue:
            yield checkpoint
