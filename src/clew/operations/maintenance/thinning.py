"""Thinning: which automatic checkpoints go as they grow older; see docs/design/0009.

    younger than a day      all are kept
    younger than a week     one an hour
    younger than 30 days    one a day
    older                   one a week

Hours, days and weeks are those of the clock in UTC, so an hour lies in one day and a day in one
week.  The best of a week is therefore the best of its day and of its hour, and has been kept so
far: pruning often ends with the same checkpoints as pruning once.

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
"""Up to which age, which rule holds, and of how long a span it keeps one."""
_OLDEST = (RetentionRule.WEEKLY, WEEK)

_NO_CLOCK_BEFORE = 946_684_800 * 1_000_000_000
"""The year 2000: a machine that says it is earlier has no clock."""


class AgedCheckpoint(NamedTuple):
    """One automatic checkpoint."""

    id: CheckpointId
    sequence: int
    time_ns: int
    age_ns: int
    worth: tuple[int, int, int]
    """Has a verdict, severity of its story, how many paths changed: the larger is kept."""


def tier(age_ns: int) -> tuple[str, int]:
    """Return the rule for an age, and of how long a span it keeps one; none where all are kept."""
    for limit, rule, span in _TIERS:
        if age_ns < limit:
            return rule, span
    return _OLDEST


def buckets(candidates: Iterable[AgedCheckpoint]) -> dict[tuple[str, int], list[AgedCheckpoint]]:
    """Return the candidates by rule and span of time; those that all are kept of are left out."""
    found: dict[tuple[str, int], list[AgedCheckpoint]] = {}
    for one in candidates:
        rule, span = tier(one.age_ns)
        if rule:
            found.setdefault((rule, one.time_ns // span), []).append(one)
    return found


def thinned(candidates: Iterable[AgedCheckpoint]) -> dict[CheckpointId, str]:
    """Return what goes, and by which rule."""
    gone: dict[CheckpointId, str] = {}
    for (rule, _), rivals in buckets(candidates).items():
        best = max(rivals, key=lambda one: (one.worth, one.sequence))
        gone |= {one.id: rule for one in rivals if one.id != best.id}
    return gone


def ages(times: Sequence[tuple[int, int]], now_ns: int) -> dict[int, int]:
    """Return the age of each checkpoint by its sequence, from sequence and time, oldest first.

    A clock may jump, the order of checkpoints does not.  A time that lies before that of an
    earlier checkpoint, or after now, says nothing; such a checkpoint is taken to be as young as the
    next one whose time can be true, so that nothing goes before its time.
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
