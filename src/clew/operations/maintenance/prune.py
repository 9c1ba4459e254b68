"""Prune: remove automatic checkpoints as they age; see docs/design/0009.

Without limits, a prune thins out automatic checkpoints and nothing else.  A limit that a user set,
`keep-last` or `keep-within`, replaces thinning and also applies to checkpoints saved by hand: it
counts as confirmation.  Protected checkpoints stay whatever the rules say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from clew.errors import BadOption, ClewError, PruneNeedsConfirmation, StoreFull
from clew.model.checkpoint import Checkpoint
from clew.model.fact import SEVERITY_RANK, Severity
from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.model.record import Origin
from clew.model.results import PruneResult
from clew.model.retention import RetentionRule
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.maintenance.budget import budget_of, is_over_budget, remember_prunable
from clew.operations.maintenance.delete import make_tombstones
from clew.operations.maintenance.gc import drop_caches
from clew.operations.maintenance.protected import (
    beginning,
    forked_from,
    named_by_graphs,
    on_trail,
    restoring,
    verified,
)
from clew.operations.maintenance.settings import KEEP_LAST, KEEP_WITHIN, as_duration
from clew.operations.maintenance.thinning import (
    DAY,
    HOUR,
    MONTH,
    WEEK,
    AgedCheckpoint,
    ages,
    buckets,
    thinned,
    tier,
)
from clew.store.backup import backup
from clew.store.gc import gc, reclaimable_bytes
from clew.store.reserve import with_reserve

SLACK = 20
"""How many checkpoints beyond the rules may accumulate before a prune is worthwhile."""
KEEP_LAST_UNSAID = 100
"""How many checkpoints `keep-within` keeps as well, if `keep-last` is not set."""
HOLD_OFF = HOUR
"""Time after a prune in which thinning is not due: checkpoints that are always kept may look due."""

Confirm = Callable[[PruneResult], bool]
"""Called with the preview before checkpoints of a person are removed."""


class KeepReason:
    """Why a checkpoint is kept; the words of the result."""

    NAMED = "named"
    PINNED = "pinned"
    CURRENT = "current"
    UNDO = "undo"
    """Reached by undo or redo."""
    RESTORING = "restoring"
    RESCUE = "rescue"
    PASSING = "passing"
    FORK = "fork"
    """The base or the first checkpoint of a fork: the base of every merge back."""
    MANUAL = "manual"
    VERIFIED = "verified"
    GRAPH = "graph"
    """Named by a checkpoint of a LangGraph graph."""
    NEWEST = "newest"
    RECENT = "recent"
    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"

    ALL = (
        NAMED, PINNED, CURRENT, UNDO, RESTORING, RESCUE, PASSING, FORK, MANUAL, VERIFIED, GRAPH,
        NEWEST, RECENT, HOURLY, DAILY, WEEKLY,
    )  # fmt: skip


class Limit(NamedTuple):
    """How much to keep, automatic or not."""

    keep_last: int
    keep_within: int
    """In nanoseconds."""


class _Rules(NamedTuple):
    limit: Limit | None
    """None if automatic checkpoints are thinned out and nothing else is removed."""
    fit_bytes: int | None
    """Remove more until the store is no larger; None for no such limit."""
    now_ns: int
    takes_made: bool = True
    """Whether checkpoints of a person may be removed."""


class _Doomed(NamedTuple):
    checkpoint: Checkpoint
    rule: str
    is_made: bool
    """Whether a person saved, verified or named it."""


class _Sorted(NamedTuple):
    """A timeline, sorted by what may happen to each checkpoint, oldest first."""

    kept: list[tuple[str, int]]
    doomed: list[_Doomed]
    spare: list[Checkpoint]
    """Automatic checkpoints kept for their age alone: removed first when space is needed."""
    made: list[Checkpoint]
    """Checkpoints of a person: removed last, and only with confirmation."""


def prune(
    context: Context,
    *,
    keep_last: int | None = None,
    keep_within: int | None = None,
    max_bytes: int | None = None,
    dry_run: bool = False,
    confirm: Confirm | None = None,
    now_ns: int | None = None,
    monitor: Monitor,
) -> PruneResult:
    """Remove what the rules do not keep; `keep_within` is in ns, None means the setting.

    `confirm` is called before a checkpoint of a person is removed; without it, that is allowed.
    It takes its own locks, so the caller holds none.
    """
    store = context.store
    limit = _limit(context, keep_last, keep_within)
    rules = _Rules(limit, max_bytes, now_ns if now_ns is not None else context.host.now_ns())
    if limit is None:
        _tell_rivals(context, rules, monitor)
    is_asked = any(option is not None for option in (keep_last, keep_within, max_bytes))
    if dry_run:
        return _foreseen(context, rules, monitor)
    if is_asked and confirm is not None:
        rules = _confirmed(context, rules, confirm, monitor)
    drop_caches(store)
    before = store.size()
    removed = _bury(context, rules, monitor)
    gc(store, monitor, thorough=is_asked)
    if max_bytes is not None:
        removed += _bury_until(
            context, rules, RetentionRule.MAX_BYTES, lambda: store.size() <= max_bytes, monitor
        )
    _remember(context, rules, monitor)
    if removed:
        _back_up(context)
    after = store.size()
    kept = _sort(context, rules).kept
    return _result(removed, kept, max(0, before - after), after, context, dry_run=False)


def prune_automatic(
    context: Context, rule: str, is_enough: Callable[[], bool], monitor: Monitor
) -> list[Checkpoint]:
    """Remove automatic checkpoints, due ones first, until it is enough or none is left.

    It takes its own locks, so the caller holds none.
    """
    rules = _Rules(None, None, context.host.now_ns(), takes_made=False)
    removed = _bury(context, rules, monitor)
    gc(context.store, monitor, thorough=True)
    removed += _bury_until(context, rules, rule, is_enough, monitor)
    return [one.checkpoint for one in removed]


def removable_by_limit(context: Context, keep_last: int) -> set[CheckpointId]:
    """Return what `clew prune --keep-last` would remove."""
    rules = _Rules(Limit(keep_last, 0), None, context.host.now_ns())
    return {one.checkpoint.id for one in _sort(context, rules).doomed}


def is_due(context: Context) -> bool:
    """Return whether a prune is worthwhile; cheap, for after a save."""
    limit = _limit(context, None, None)
    if limit is not None and _unnamed(context) > limit.keep_last + SLACK:
        return True
    now = context.host.now_ns()
    last = context.store.database.one("SELECT value FROM meta WHERE key = ?", (_last_key(context),))
    if last is not None and 0 <= now - last[0] < HOLD_OFF:
        return False
    # For a store over its budget, a prune records what could be freed, for the next save to report.
    return is_over_budget(context) or (limit is None and _crowd(context, now) >= SLACK)


def _unnamed(context: Context) -> int:
    """Return how many checkpoints a limit counts."""
    row = context.store.database.one(
        "SELECT count(*) FROM checkpoints c LEFT JOIN labels l ON l.checkpoint = c.id"
        " WHERE c.workspace = ? AND c.deleted IS NULL"
        " AND NOT coalesce(l.named, 0) AND NOT coalesce(l.pinned, 0)",
        (context.workspace,),
    )
    return int(row[0]) if row is not None else 0


def _crowd(context: Context, now_ns: int) -> int:
    """Return about how many automatic checkpoints thinning would remove."""
    row = context.store.database.one(
        "SELECT count(*) - count(DISTINCT bucket) FROM (SELECT CASE"
        " WHEN c.time > ?1 THEN 'h' || (c.time / ?5) WHEN c.time > ?2 THEN 'd' || (c.time / ?6)"
        " ELSE 'w' || (c.time / ?7) END AS bucket"
        " FROM checkpoints c LEFT JOIN labels l ON l.checkpoint = c.id"
        " WHERE c.workspace = ?3 AND c.deleted IS NULL AND c.origin <> ?8"
        " AND c.time <= CASE WHEN c.origin = ?9 THEN ?2 ELSE ?4 END"
        " AND NOT coalesce(l.named, 0) AND NOT coalesce(l.pinned, 0) AND NOT EXISTS"
        " (SELECT 1 FROM verdicts v WHERE v.state = c.state AND v.checkpoint = c.id))",
        (
            now_ns - WEEK, now_ns - MONTH, context.workspace, now_ns - DAY, HOUR, DAY, WEEK,
            Origin.MANUAL, Origin.RESCUE,
        ),
    )  # fmt: skip
    return int(row[0]) if row is not None else 0


def _limit(context: Context, keep_last: int | None, keep_within: int | None) -> Limit | None:
    """Return the limit that was requested or set; None if there is none."""
    if keep_last is not None and keep_last < 0:
        raise BadOption("--keep-last", "must be 0 or more")
    if keep_last is None and keep_within is None:
        chosen = context.store.settings.all(context.workspace)
        last, within = chosen.get(KEEP_LAST), chosen.get(KEEP_WITHIN)
        keep_last = int(last) if last else None
        keep_within = as_duration(KEEP_WITHIN, within) if within else None
    if keep_last is None and keep_within is None:
        return None
    return Limit(KEEP_LAST_UNSAID if keep_last is None else keep_last, keep_within or 0)


# What would be removed


def _confirmed(context: Context, rules: _Rules, confirm: Confirm, monitor: Monitor) -> _Rules:
    """Ask for confirmation if a checkpoint of a person would be removed; return the rules after it."""
    foreseen = _foreseen(context, rules, monitor)
    if not foreseen.made:
        return rules._replace(
            takes_made=False
        )  # a checkpoint saved meanwhile was not in the question
    if not confirm(foreseen):
        raise PruneNeedsConfirmation(foreseen)
    return rules


def _foreseen(context: Context, rules: _Rules, monitor: Monitor) -> PruneResult:
    store = context.store
    with store.locks.shared(monitor):
        found = _sort(context, rules)
        doomed = list(found.doomed)
        freed = reclaimable_bytes(store, {one.checkpoint.id for one in doomed})
        size = store.size()
        for batch in _batches(found) if rules.fit_bytes is not None else ():
            if rules.fit_bytes is None or size - freed <= rules.fit_bytes:
                break
            doomed += [one._replace(rule=RetentionRule.MAX_BYTES) for one in batch]
            freed = reclaimable_bytes(store, {one.checkpoint.id for one in doomed})
    return _result(doomed, found.kept, freed, size, context, dry_run=True)


def _batches(found: _Sorted) -> Sequence[list[_Doomed]]:
    """Return what is removed for space, oldest first, a few at first and then more at a time."""
    ahead = [_Doomed(one, "", False) for one in found.spare]
    ahead += [_Doomed(one, "", True) for one in found.made]
    result, size = [], 1
    while ahead:
        result.append(ahead[:size])
        ahead, size = ahead[size:], size * 2
    return result


def _result(
    doomed: Sequence[_Doomed],
    kept: Sequence[tuple[str, int]],
    freed: int,
    size: int,
    context: Context,
    *,
    dry_run: bool,
) -> PruneResult:
    return PruneResult(
        tuple(one.checkpoint for one in doomed),
        tuple(kept),
        freed,
        size,
        budget_of(context),
        dry_run,
        tuple(one.rule for one in doomed),
        sum(one.is_made for one in doomed),
    )


# Removal


def _bury(context: Context, rules: _Rules, monitor: Monitor) -> list[_Doomed]:
    """Remove what the rules do not keep."""
    with _locked(context, monitor):
        doomed = _sort(context, rules).doomed
        chosen = [one for one in doomed if rules.takes_made or not one.is_made]
        _bury_chosen(context, chosen)
    return chosen


def _bury_until(
    context: Context, rules: _Rules, rule: str, is_enough: Callable[[], bool], monitor: Monitor
) -> list[_Doomed]:
    """Remove the oldest that are kept for their age, then those of a person, until it is enough."""
    removed: list[_Doomed] = []
    batch = 1
    while not is_enough():
        with _locked(context, monitor):
            found = _sort(context, rules)
            chosen = [_Doomed(one, rule, False) for one in found.spare[:batch]]
            if not chosen and rules.takes_made:
                chosen = [_Doomed(one, rule, True) for one in found.made[:batch]]
            _bury_chosen(context, chosen)
        if not chosen:
            break
        removed += chosen
        gc(context.store, monitor, thorough=True)
        batch *= 2
    return removed


@contextmanager
def _locked(context: Context, monitor: Monitor) -> Iterator[None]:
    locks = context.store.locks
    with locks.workspace(context.workspace, monitor), locks.shared(monitor):
        yield


def _bury_chosen(context: Context, chosen: Sequence[_Doomed]) -> None:
    """Remove each by its own rule; may use the disk reserve."""
    for rule in dict.fromkeys(one.rule for one in chosen):
        identifiers = [one.checkpoint.id for one in chosen if one.rule == rule]
        with_reserve(
            context.store.layout, partial(make_tombstones, context, identifiers, rule=rule)
        )


def _remember(context: Context, rules: _Rules, monitor: Monitor) -> None:
    """Record the time of this prune, and what more could be freed if the store is over its budget."""
    database = context.store.database
    try:
        database.execute(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)", (_last_key(context), rules.now_ns)
        )
        if is_over_budget(context):
            with context.store.locks.shared(monitor):
                remember_prunable(context, prunable_bytes(context))
    except StoreFull:
        pass  # both are only hints


def _back_up(context: Context) -> None:
    """Update the backup with what was removed; the next one would be in an hour at most."""
    with suppress(ClewError, OSError):
        backup(context.store)


def prunable_bytes(context: Context) -> int:
    """Estimate what could be freed without removing checkpoints of a person.

    The caller holds the store's shared lock.
    """
    found = _sort(context, _Rules(None, None, context.host.now_ns()))
    gone = {one.checkpoint.id for one in found.doomed} | {one.id for one in found.spare}
    return reclaimable_bytes(context.store, gone)


def _last_key(context: Context) -> str:
    return f"pruned:{context.workspace.hex()}"


# What is kept, and why


def _sort(context: Context, rules: _Rules) -> _Sorted:
    timeline = list(context.store.checkpoints.newest_first(context.workspace))
    old = ages(context.store.checkpoints.times(context.workspace), rules.now_ns)
    protected = _protected(context)
    made = _made(context)
    gone = thinned(_candidates(context, timeline, old)) if rules.limit is None else {}
    reasons = Counter[str]()
    found = _Sorted([], [], [], [])
    place = 0
    for checkpoint in timeline:
        labels, age = checkpoint.labels, old[checkpoint.record.sequence]
        place += not (labels.named or labels.pinned)
        why_made = made.get(checkpoint.id) or _made_by_origin(checkpoint)
        if labels.named:
            reason = KeepReason.NAMED
        elif labels.pinned:
            reason = KeepReason.PINNED
        elif checkpoint.id in protected:
            reason = protected[checkpoint.id]
        elif checkpoint.is_rescue and age < MONTH:
            reason = KeepReason.RESCUE
        else:
            rule, reason = _judged(checkpoint, place, age, why_made, rules.limit, gone)
            if rule:
                found.doomed.append(_Doomed(checkpoint, rule, bool(why_made)))
                continue
            (found.made if why_made else found.spare).append(checkpoint)
        reasons[reason] += 1
    kept = [(reason, reasons[reason]) for reason in KeepReason.ALL if reasons[reason]]
    return _Sorted(kept, found.doomed[::-1], found.spare[::-1], found.made[::-1])


def _judged(
    checkpoint: Checkpoint,
    place: int,
    age: int,
    why_made: str,
    limit: Limit | None,
    gone: dict[CheckpointId, str],
) -> tuple[str, str]:
    """Return the rule that removes a checkpoint, or an empty one and why it is kept."""
    if limit is not None:
        if place <= limit.keep_last:
            return "", KeepReason.NEWEST
        return ("", KeepReason.RECENT) if age < limit.keep_within else (RetentionRule.KEEP_LAST, "")
    if why_made:
        return "", why_made
    return gone.get(checkpoint.id, ""), tier(age)[0] or KeepReason.RECENT


def _candidates(
    context: Context, timeline: Sequence[Checkpoint], old: dict[int, int]
) -> list[AgedCheckpoint]:
    """Return all automatic checkpoints, protected ones too: those compete for their time span."""
    severities = context.store.stories.severities(context.workspace)
    return [
        AgedCheckpoint(
            one.id,
            one.record.sequence,
            one.record.time_ns,
            old[one.record.sequence],
            (
                one.verdict is not None,
                SEVERITY_RANK.get(severities.get(one.id, Severity.NONE), 0),
                sum(one.changes) if one.changes is not None else 0,
            ),
        )
        for one in timeline
        if one.record.origin != Origin.MANUAL
    ]


def _tell_rivals(context: Context, rules: _Rules, monitor: Monitor) -> None:
    """Derive the missing stories that decide which checkpoint of a time span is kept.

    Hooks do not wait for a story.  No lock of the workspace is held: no save waits.
    """
    from clew.operations.history.story import derive_and_store  # noqa: PLC0415  a save that asks what is due needs none

    store = context.store
    timeline = list(store.checkpoints.newest_first(context.workspace))
    severities = store.stories.severities(context.workspace)
    old = ages(store.checkpoints.times(context.workspace), rules.now_ns)
    crowded = [
        one.id
        for rivals in buckets(_candidates(context, timeline, old)).values()
        if len(rivals) > 1
        for one in rivals
        if one.id not in severities
    ]
    for number, identifier in enumerate(crowded):
        monitor.progress("story", number, len(crowded))
        try:
            with store.locks.shared(monitor):
                checkpoint = store.checkpoints.get(identifier)
                if checkpoint is not None:
                    derive_and_store(context, checkpoint)
        except (ClewError, OSError):
            continue  # without a story it has no severity


def _made_by_origin(checkpoint: Checkpoint) -> str:
    return KeepReason.MANUAL if checkpoint.record.origin == Origin.MANUAL else ""


def _made(context: Context) -> dict[CheckpointId, str]:
    """Return the checkpoints of a person that were not saved by one."""
    found = dict.fromkeys(named_by_graphs(context), KeepReason.GRAPH)
    return found | dict.fromkeys(verified(context), KeepReason.VERIFIED)


def _protected(context: Context) -> dict[CheckpointId, str]:
    passing = context.store.checkpoints.latest_passing(context.workspace)
    here = context.here
    found = dict.fromkeys(beginning(context) | forked_from(context), KeepReason.FORK)
    if passing is not None:
        found[passing.id] = KeepReason.PASSING
    found |= dict.fromkeys(restoring(context), KeepReason.RESTORING)
    found |= dict.fromkeys(on_trail(context), KeepReason.UNDO)
    if here is not None:
        found[here.id] = KeepReason.CURRENT
    return found
