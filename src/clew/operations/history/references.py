"""Resolve a reference, as a person or an agent writes it, to one checkpoint."""

from __future__ import annotations

import time

from clew.errors import AmbiguousReference, BadReference, CheckpointRemoved, UnknownReference
from clew.model.checkpoint import Checkpoint
from clew.model.ids import CheckpointId, short
from clew.model.reference import UNNAMED, ById, ByName, ByTime, Here, Keyword, Reading, parse
from clew.model.retention import Tombstone, rule_sentence
from clew.monitor import Monitor
from clew.operations.context import Context

_LONGEST_SEQUENCE = 18


def utc_offset(seconds: float) -> int:
    """Return the offset of local time from UTC at a point in time."""
    return time.localtime(seconds).tm_gmtoff


def resolve(context: Context, text: str, monitor: Monitor) -> Checkpoint:
    """Return the one checkpoint that `text` names."""
    try:
        readings = parse(text, context.host.now_ns(), utc_offset)
    except ValueError as error:
        raise BadReference(text) from error
    for reading in readings:
        found = _find(context, reading, monitor)
        if len(found) > 1:
            raise AmbiguousReference(text, [_describe(item) for item in found])
        if found:
            return context.mark_here(found[0])
    for reading in readings:
        gone = _removed(context, reading)
        if len(gone) > 1:
            raise AmbiguousReference(text, [f"{short(one.id)} ({one.verb})" for one in gone])
        if gone:
            raise _removal(context, text, gone[0])
    raise UnknownReference(text)


def removal_sentence(gone: Tombstone) -> str:
    """Return when a checkpoint was removed and by which rule, as a clause."""
    moment = time.gmtime(gone.removed_ns // 1_000_000_000)
    return f"{time.strftime('%Y-%m-%d %H:%M UTC', moment)}, {rule_sentence(gone.rule)}"


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
            return _at_time(context, end_ns, monitor)


def _at_time(context: Context, end_ns: int, monitor: Monitor) -> list[Checkpoint]:
    """Return the newest remaining checkpoint of a time; report a newer one that was removed."""
    checkpoints = context.store.checkpoints
    found = checkpoints.latest(context.workspace, end_ns)
    if found is not None:
        gone = checkpoints.tombstone_since(context.workspace, found.record.sequence, end_ns)
        if gone is not None:
            say_instead(gone, found.id, monitor)
    return _listed(found)


def _removed(context: Context, reading: Reading) -> list[Tombstone]:
    """Return the checkpoint that a reading would have named if it had not been removed."""
    checkpoints, workspace = context.store.checkpoints, context.workspace
    gone: Tombstone | None = None
    match reading:
        case ById(digits):
            return checkpoints.tombstones(workspace, digits)
        case ByName(name):
            sequence = _sequence_of(name)
            if sequence is not None:
                gone = checkpoints.tombstone_of_sequence(workspace, sequence)
        case ByTime(_, end_ns):
            gone = checkpoints.tombstone_since(workspace, -1, end_ns)
        case Here(steps):
            wanted = _steps_above(context, steps)
            gone = checkpoints.tombstone(wanted) if wanted is not None else None
        case _:
            pass
    return [] if gone is None else [gone]


def _sequence_of(name: str) -> int | None:
    """Return the sequence number in the default name of a checkpoint, if it is one."""
    digits = name.removeprefix(UNNAMED)
    is_number = digits.isascii() and digits.isdigit() and len(digits) < _LONGEST_SEQUENCE
    return int(digits) if digits != name and is_number else None


def _removal(context: Context, text: str, gone: Tombstone) -> CheckpointRemoved:
    nearest = context.store.checkpoints.nearest(context.workspace, gone)
    return CheckpointRemoved(
        text, gone, removal_sentence(gone), nearest.hex() if nearest is not None else None
    )


def say_instead(gone: Tombstone, found: CheckpointId, monitor: Monitor, more: int = 0) -> None:
    """Report that the named checkpoint was removed, and which one is used instead."""
    others = f" and {more} more between" if more else ""
    monitor.notice(
        f"Checkpoint was {gone.verb}: {short(gone.id)} ({removal_sentence(gone)}){others};"
        f" using the nearest remaining checkpoint: {short(found)}"
    )


def _above_here(context: Context, steps: int, monitor: Monitor) -> list[Checkpoint]:
    """Follow the parents of *here*, skipping deleted checkpoints."""
    checkpoints = context.store.checkpoints
    wanted = _steps_above(context, steps)
    found, passed = checkpoints.surviving(wanted)
    if wanted is None or found is None:
        return []
    gone = checkpoints.tombstone(wanted) if passed else None
    if gone is not None:
        say_instead(gone, found, monitor, more=passed - 1)
    return [context.find(found)]


def _steps_above(context: Context, steps: int) -> CheckpointId | None:
    """Return the ancestor of *here* that many steps up, removed or not."""
    wanted = context.store.trails.here(context.workspace)
    for _ in range(steps):
        if wanted is None:
            return None
        wanted = context.store.checkpoints.parent(wanted)
    return wanted


def _listed(found: Checkpoint | None) -> list[Checkpoint]:
    return [] if found is None else [found]


def _describe(checkpoint: Checkpoint) -> str:
    return f"{short(checkpoint.id)} ({checkpoint.labels.name})"


def good(context: Context, monitor: Monitor) -> Checkpoint:
    """Return the newest checkpoint with a passing check, with its headline if one is stored."""
    checkpoint = resolve(context, "good", monitor)
    kept = context.store.stories.get(checkpoint.id)
    return checkpoint._replace(headline=kept.story.headline if kept is not None else None)
