"""Thinning: which automatic checkpoints are removed as they age; see docs/design/0009.

    younger than a day      all are kept
    younger than a week     one per hour
    younger than 30 days    one per day
    older                   one per week

Hours, days and weeks are in UTC, so an hour lies in one day and a day in one week.  The best
checkpoint of a week is therefore also the best of its day and hour, and was kept so far: pruning
often keeps the same checkpoints as pruning once.

Nothing here reads a clock or the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.model.retention import RetentionRule

HOUR = 3600 * 1_000_000_000
DAY = 24 * HOUR
WEEK = 7 * DAY
MONTH = 30 * DAY

_TIERS = ((DAY, "", 0), (WEEK, RetentionRule.HOURLY, HOUR), (MONTH, RetentionRule.DAILY, DAY))
"""The maximum age, the rule, and the time span of which it keeps one."""
_OLDEST = (RetentionRule.WEEKLY, WEEK)

_NO_CLOCK_BEFORE = 946_684_800 * 1_000_000_000
"""The year 2000: an earlier time means that the machine has no clock."""


class AgedCheckpoint(NamedTuple):
    """One automatic checkpoint."""

    id: CheckpointId
    sequence: int
    time_ns: int
    age_ns: int
    worth: tuple[int, int, int]
    """Has a verdict, severity of its story, number of changed paths: the larger is kept."""


def tier(age_ns: int) -> tuple[str, int]:
    """Return the rule for an age, and the time span of which it keeps one; empty if all are kept."""
    for limit, rule, span in _TIERS:
        if age_ns < limit:
            return rule, span
    return _OLDEST


def buckets(candidates: Iterable[AgedCheckpoint]) -> dict[tuple[str, int], list[AgedCheckpoint]]:
    """Group the checkpoints by rule and time span; those of which all are kept are left out."""
    found: dict[tuple[str, int], list[AgedCheckpoint]] = {}
    for one in candidates:
        rule, span = tier(one.age_ns)
        if rule:
            found.setdefault((rule, one.time_ns // span), []).append(one)
    return found


def thinned(candidates: Iterable[AgedCheckpoint]) -> dict[CheckpointId, str]:
    """Return what is removed, and by which rule."""
    gone: dict[CheckpointId, str] = {}
    for (rule, _), rivals in buckets(candidates).items():
        best = max(rivals, key=lambda one: (one.worth, one.sequence))
        gone |= {one.id: rule for one in rivals if one.id != best.id}
    return gone


def ages(times: Sequence[tuple[int, int]], now_ns: int) -> dict[int, int]:
    """Return the age of each checkpoint by sequence, given sequence and time, oldest first.

    A clock may jump; the order of checkpoints does not.  A time before that of an earlier checkpoint,
    or after now, is unreliable; such a checkpoint counts as young as the next one with a reliable
    time, so that nothing is removed too early.
    """
    believable: list[bool] = []
    latest = _NO_CLOCK_BEFORE
    for _, time_ns in times:
        believable.append(latest <= time_ns <= now_ns)
        if believable[-1]:
            latest = time_ns
    found: dict[int, int] = {}
    youngest = now_ns
    for (sequence, time_ns), is_true in zip(reversed(times), reversed(believable), strict=True):
        if is_true:
            youngest = time_ns
        found[sequence] = now_ns - youngest
    return found
