"""Resolving: from the words of a person or an agent to one checkpoint; see design `REF`."""

from __future__ import annotations

import time

from clew.errors import AmbiguousReference, BadReference, UnknownReference
from clew.model.checkpoint import Checkpoint
from clew.model.ids import CheckpointId, short
from clew.model.reference import ById, ByName, ByTime, Here, Keyword, Reading, parse
from clew.monitor import Monitor
from clew.operations.context import Context


def utc_offset(seconds: float) -> int:
    """Return how far local time is ahead of UTC at a moment."""
    return time.localtime(seconds).tm_gmtoff


def resolve(context: Context, text: str, monitor: Monitor) -> Checkpoint:
    """Return the one checkpoint that `text` means."""
    try:
        readings = parse(text, time.time_ns(), utc_offset)
    except ValueError as error:
        raise BadReference(text) from error
    for reading in readings:
        found = _find(context, reading, monitor)
        if len(found) > 1:
            raise AmbiguousReference(text, [_describe(item) for item in found])
        if found:
            return context.mark_here(found[0])
    raise UnknownReference(text)


def _find(context: Context, reading: Reading, monitor: Monitor) -> list[Checkpoint]:
    checkpoints = context.store.checkpoints
    workspace = context.workspace
    match reading:
        case Here(steps):
            return _above_here(context, steps, monitor)
        case Keyword("here"):
            return _above_here(context, 0, monitor)
        case Keyword("good"):
            return _listed(checkpoints.latest_passing(workspace))
        case Keyword():
            return _listed(checkpoints.latest(workspace))
        case ById(digits):
            return checkpoints.with_prefix(workspace, digits)
        case ByName(name):
            return checkpoints.named(workspace, name)
        case ByTime(_, end_ns):
            return _listed(checkpoints.latest(workspace, end_ns))


def _above_here(context: Context, steps: int, monitor: Monitor) -> list[Checkpoint]:
    """Walk from *here* to its ancestors, passing over those that were deleted."""
    store = context.store
    wanted = store.trails.here(context.workspace)
    passed = 0
    for _ in range(steps):
        if wanted is None:
            return []
        wanted = store.checkpoints.parent(wanted)
    wanted, passed = store.checkpoints.surviving(wanted)
    if passed and wanted is not None:
        were = "checkpoint was" if passed == 1 else "checkpoints were"
        monitor.notice(f"{passed} deleted {were} passed over")
    return [] if wanted is None else [context.find(CheckpointId(wanted))]


def _listed(found: Checkpoint | None) -> list[Checkpoint]:
    return [] if found is None else [found]


def _describe(checkpoint: Checkpoint) -> str:
    return f"{short(checkpoint.id)} ({checkpoint.labels.name})"
