"""Prune: removes old checkpoints that nobody named and nothing needs.

First by age: the newest few are kept, and those younger than some span.
Then by size: as long as the store is larger than its budget, the oldest go, the newest included
that the first rule kept.  What is protected stays whatever the rules say.
"""

from __future__ import annotations

import time
from collections import Counter

from clew.errors import BadOption
from clew.model.checkpoint import Checkpoint
from clew.model.ids import CheckpointId
from clew.model.named import NamedTuple
from clew.model.results import PruneResult
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.delete import bury
from clew.operations.gc import drop_caches
from clew.operations.protected import beginning, on_trail, restoring
from clew.operations.settings import (
    KEEP_LAST,
    KEEP_WITHIN,
    MAX_BYTES,
    as_bytes,
    as_duration,
    in_force,
)
from clew.store.gc import gc, reclaimable_bytes
from clew.store.room import with_reserve

RESCUE_KEPT_NS = 86_400 * 1_000_000_000
SLACK = 20
"""So many more than the rules keep may gather before pruning is worth its while."""


class Kept:
    """Why a checkpoint stays; the words of the result."""

    NAMED = "named"
    PINNED = "pinned"
    HERE = "here"
    TRAIL = "trail"
    RESTORING = "restoring"
    RESCUE = "rescue"
    PASSING = "passing"
    FORK = "fork"
    """What a fork began with: the base of every merge back."""
    NEWEST = "newest"
    RECENT = "recent"

    ALL = (NAMED, PINNED, HERE, TRAIL, RESTORING, RESCUE, PASSING, FORK, NEWEST, RECENT)


class _Rules(NamedTuple):
    keep_last: int
    keep_within: int
    max_bytes: int
    now_ns: int


class _Sorted(NamedTuple):
    """A timeline sorted by what may happen to it, oldest first."""

    kept: list[tuple[str, int]]
    spare: list[Checkpoint]
    """Kept for their age alone: they go when the store is too large."""
    doomed: list[Checkpoint]


def prune(
    context: Context,
    keep_last: int | None = None,
    keep_within: int | None = None,
    max_bytes: int | None = None,
    dry_run: bool = False,
    now_ns: int | None = None,
    *,
    monitor: Monitor,
) -> PruneResult:
    """Remove what the rules do not keep, `keep_within` in ns; what is None is as the settings say.

    It takes its own locks, so the caller holds none.
    """
    store = context.store
    rules = _rules(context, keep_last, keep_within, max_bytes, now_ns)
    if dry_run:
        return _foreseen(context, rules, monitor)
    drop_caches(store)
    before = store.size()
    removed = _bury(context, rules, None, monitor)
    gc(store, monitor)
    batch = 1
    while store.size() > rules.max_bytes:
        more = _bury(context, rules, batch, monitor)
        if not more:
            break
        removed += more
        gc(store, monitor)
        batch *= 2
    after = store.size()
    kept = _sort(context, rules).kept
    return PruneResult(
        tuple(removed), tuple(kept), max(0, before - after), after, rules.max_bytes, False
    )


def is_due(context: Context) -> bool:
    """Tell whether so much has gathered that pruning is worth it; cheap, for after a save."""
    rules = _rules(context, None, None, None, None)
    database = context.store.database
    unnamed = database.one(
        "SELECT count(*) FROM checkpoints c LEFT JOIN labels l ON l.checkpoint = c.id"
        " WHERE c.workspace = ? AND c.deleted IS NULL"
        " AND NOT coalesce(l.named, 0) AND NOT coalesce(l.pinned, 0)",
        (context.workspace,),
    )
    packed = database.one("SELECT coalesce(sum(bytes), 0) FROM packs")
    assert unnamed is not None
    assert packed is not None
    return bool(unnamed[0] > rules.keep_last + SLACK or packed[0] > rules.max_bytes)


def _rules(
    context: Context,
    keep_last: int | None,
    keep_within: int | None,
    max_bytes: int | None,
    now_ns: int | None,
) -> _Rules:
    if keep_last is not None and keep_last < 0:
        raise BadOption("--keep-last", "must be 0 or more")
    settings = in_force(context)
    if keep_within is None:
        keep_within = as_duration(KEEP_WITHIN, settings[KEEP_WITHIN])
    return _Rules(
        keep_last if keep_last is not None else int(settings[KEEP_LAST]),
        keep_within,
        max_bytes if max_bytes is not None else as_bytes(MAX_BYTES, settings[MAX_BYTES]),
        now_ns if now_ns is not None else time.time_ns(),
    )


def _foreseen(context: Context, rules: _Rules, monitor: Monitor) -> PruneResult:
    store = context.store
    with store.locks.shared(monitor):
        found = _sort(context, rules)
        freed = reclaimable_bytes(store, {checkpoint.id for checkpoint in found.doomed})
    return PruneResult(
        tuple(found.doomed), tuple(found.kept), freed, store.size(), rules.max_bytes, True
    )


def _bury(context: Context, rules: _Rules, spare: int | None, monitor: Monitor) -> list[Checkpoint]:
    """Bury what the rules do not keep, or with `spare` so many of the oldest that they do."""
    store = context.store
    with store.locks.workspace(context.workspace, monitor), store.locks.shared(monitor):
        found = _sort(context, rules)
        chosen = found.doomed if spare is None else found.spare[:spare]
        if chosen:
            identifiers = [checkpoint.id for checkpoint in chosen]
            with_reserve(store.layout, lambda: bury(context, identifiers))
    return chosen


def _sort(context: Context, rules: _Rules) -> _Sorted:
    reasons = Counter[str]()
    spare: list[Checkpoint] = []
    doomed: list[Checkpoint] = []
    protected = _protected(context)
    place = 0
    for checkpoint in context.store.checkpoints.newest_first(context.workspace):
        labels, age = checkpoint.labels, rules.now_ns - checkpoint.record.time_ns
        place += not (labels.named or labels.pinned)
        reason = protected.get(checkpoint.id)
        if labels.named:
            reason = Kept.NAMED
        elif labels.pinned:
            reason = Kept.PINNED
        elif reason is None and checkpoint.is_rescue and age < RESCUE_KEPT_NS:
            reason = Kept.RESCUE
        if reason is None:
            reason = _age_reason(place, age, rules)
            (doomed if reason is None else spare).append(checkpoint)
        if reason is not None:
            reasons[reason] += 1
    kept = [(reason, reasons[reason]) for reason in Kept.ALL if reasons[reason]]
    return _Sorted(kept, spare[::-1], doomed[::-1])


def _age_reason(place: int, age: int, rules: _Rules) -> str | None:
    if place <= rules.keep_last:
        return Kept.NEWEST
    return Kept.RECENT if age < rules.keep_within else None


def _protected(context: Context) -> dict[CheckpointId, str]:
    passing = context.store.checkpoints.latest_passing(context.workspace)
    here = context.here
    found = dict.fromkeys(beginning(context), Kept.FORK)
    if passing is not None:
        found[passing.id] = Kept.PASSING
    found |= dict.fromkeys(restoring(context), Kept.RESTORING)
    found |= dict.fromkeys(on_trail(context), Kept.TRAIL)
    if here is not None:
        found[here.id] = Kept.HERE
    return found
