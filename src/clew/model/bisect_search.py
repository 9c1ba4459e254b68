"""Bisect search: finds the first bad checkpoint.

Candidates are ordered, oldest first, and each gets a mark from its check: good, bad, skipped or flaky.
`next_step` takes the marks and returns the candidate to try next, or the outcome; it is stateless, so
an interrupted search continues from the known marks.

The newest candidate is tried first, since without a bad one there is nothing to search for, then the
oldest; after that every conclusive run halves the rest.  So n candidates take at most ⌈log2 n⌉ + 2
runs, not counting skipped ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from clew.model.checkpoint import Checkpoint
from clew.model.ids import StateId
from clew.model.named_tuple import NamedTuple
from clew.model.verdict import RunEnd, Verdict, VerdictStatus

if TYPE_CHECKING:
    from clew.model.results import CheckpointStory


class BisectMark:
    """The result for one candidate."""

    GOOD = "good"
    BAD = "bad"
    SKIPPED = "skipped"
    """No run was conclusive: the check skipped it, timed out, or could not be started."""
    FLAKY = "flaky"
    """Runs disagree, so none is trusted."""


class BisectOutcome:
    """How a search ended."""

    FOUND = "found"
    BETWEEN = "between"
    """The first bad one is among candidates that cannot be judged."""
    ALL_GOOD = "all good"
    ALL_BAD = "all bad"
    UNDECIDED = "undecided"
    """The newest candidate cannot be judged, or no older one can."""
    INCONCLUSIVE = "inconclusive"
    """A check failed because of the sandbox, so no candidate can be judged in it."""


class BisectCandidate(NamedTuple):
    """Consecutive checkpoints with the same state, oldest first."""

    checkpoints: tuple[Checkpoint, ...]

    @property
    def first(self) -> Checkpoint:
        return self.checkpoints[0]

    @property
    def last(self) -> Checkpoint:
        return self.checkpoints[-1]

    @property
    def state(self) -> StateId:
        return self.first.record.state


class Try(NamedTuple):
    """A candidate to run the check on."""

    at: int
    more: int
    """Maximum number of runs after this one, if none is skipped."""


class End(NamedTuple):
    """The end of the search."""

    outcome: str
    last_good: int | None = None
    first_bad: int | None = None
    reason: str = ""

    @property
    def suspects(self) -> range:
        """The candidates that may be the first bad one, if skipped ones precede it."""
        if (
            self.outcome != BisectOutcome.BETWEEN
            or self.last_good is None
            or self.first_bad is None
        ):
            return range(0)
        return range(self.last_good + 1, self.first_bad + 1)


class BisectResult(NamedTuple):
    """The outcome of a search, and its statistics."""

    outcome: str
    """One of `BisectOutcome`."""
    command: str
    """The check, secrets redacted."""
    oldest: Checkpoint
    newest: Checkpoint
    candidates: int
    """Number of states; equal consecutive ones count once."""
    first_bad: Checkpoint | None = None
    """The oldest known bad one; the culprit if the outcome is *found*."""
    last_good: Checkpoint | None = None
    """The newest good one before it."""
    suspects: tuple[Checkpoint, ...] = ()
    """If the outcome is *between*: all that may be the first bad one, oldest first."""
    skipped: tuple[Checkpoint, ...] = ()
    flaky: tuple[Checkpoint, ...] = ()
    runs: int = 0
    """Number of runs of the check."""
    known: int = 0
    """Candidates whose mark was known before."""
    deleted: int = 0
    """Deleted checkpoints of the line that were skipped."""
    reason: str = ""
    """Why the search was inconclusive."""
    details: CheckpointStory | None = None
    """The first bad one, with the story of the changes since the last good one."""

    @property
    def is_found(self) -> bool:
        return self.outcome == BisectOutcome.FOUND


def candidates_of(line: Sequence[Checkpoint]) -> tuple[BisectCandidate, ...]:
    """Return the candidates of a line, oldest first; equal consecutive states are merged."""
    return tuple(
        BisectCandidate(tuple(equal))
        for _, equal in groupby(line, lambda found: found.record.state)
    )


def word_of(runs: Sequence[Verdict], *, repeat: int, timeout: float) -> str | None:
    """Return the mark from the runs of a command on a state, newest first; None if more are needed.

    A timeout counts only if that run had at least as much time as `timeout`.
    """
    if any(run.is_flaky for run in runs):
        return BisectMark.FLAKY
    conclusive = [run for run in runs if run.is_telling and run.end_reason == RunEnd.EXITED]
    if len(conclusive) >= repeat:
        return BisectMark.GOOD if conclusive[0].status == VerdictStatus.PASSING else BisectMark.BAD
    if runs and runs[0].end_reason == RunEnd.SKIPPED:
        return BisectMark.SKIPPED
    if runs and runs[0].end_reason == RunEnd.TIMEOUT and runs[0].duration_ns >= timeout * 1e9:
        return BisectMark.SKIPPED
    return None


def next_step(words: Sequence[str | None]) -> Try | End:
    """Return the next step, given the marks of the candidates, oldest first."""
    newest = len(words) - 1
    if words[newest] is None:
        return Try(newest, 1 + max(newest - 1, 0).bit_length() if newest else 0)
    if words[newest] == BisectMark.GOOD:
        return End(BisectOutcome.ALL_GOOD, last_good=newest)
    if words[newest] != BisectMark.BAD:
        return End(BisectOutcome.UNDECIDED)
    good = max((at for at in range(newest) if words[at] == BisectMark.GOOD), default=None)
    if good is None:
        return _find_good(words)
    bad = next(at for at in range(good + 1, newest + 1) if words[at] == BisectMark.BAD)
    untried = [at for at in range(good + 1, bad) if words[at] is None]
    if untried:
        unjudged = [at for at in range(good + 1, bad) if words[at] is not None]
        return Try(_middle(untried, unjudged), len(untried).bit_length() - 1)
    return End(BisectOutcome.FOUND if bad == good + 1 else BisectOutcome.BETWEEN, good, bad)


def _find_good(words: Sequence[str | None]) -> Try | End:
    """Return the oldest candidate to judge; the oldest of the range may be skipped or flaky."""
    oldest = next(at for at, word in enumerate(words) if word in (None, BisectMark.BAD))
    if words[oldest] is None:
        left = sum(word is None for word in words[oldest + 1 :])
        return Try(oldest, left.bit_length())
    if oldest == len(words) - 1 and oldest:
        return End(BisectOutcome.UNDECIDED, first_bad=oldest)
    return End(BisectOutcome.ALL_BAD, first_bad=oldest)


def _middle(untried: Sequence[int], unjudged: Sequence[int]) -> int:
    """Return the candidate to try next: whatever its result, at most half remain.

    Of several such candidates, it is the one farthest from those that could not be judged: what
    breaks a check tends to break it for a while.
    """
    half = 1 << (len(untried).bit_length() - 1)
    middle = (len(untried) - 1) // 2
    ranks = range(len(untried) - half, half)

    def preference(rank: int) -> tuple[int, int]:
        distances = [abs(untried[rank] - at) for at in unjudged]
        return min(distances, default=0), -abs(rank - middle)

    return untried[max(ranks, key=preference)]
