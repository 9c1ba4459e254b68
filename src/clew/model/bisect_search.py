"""Bisecting: which moment was the first bad one, as a search over words.

Candidates stand in order, oldest first, and each has a word once a check was heard: good, bad,
skipped or flaky.  `next_step` looks at the words and says which candidate to try next, or how it
ends; it remembers nothing, so a search that was cut short goes on from the words that are known.

The first to be tried is the newest, since without a bad one there is nothing to look for, then the
oldest; after that every run that gives a word halves what is left.  So n candidates take at most
⌈log2 n⌉ + 2 runs, not counting those that were skipped.
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
    from clew.model.results import Told


class BisectMark:
    """What is known of one candidate."""

    GOOD = "good"
    BAD = "bad"
    SKIPPED = "skipped"
    """No run could tell: it said so itself, took too long, or could not be started."""
    FLAKY = "flaky"
    """Runs disagree, so none is believed."""


class BisectOutcome:
    """How a search ended."""

    FOUND = "found"
    BETWEEN = "between"
    """Somewhere among candidates that cannot be judged."""
    ALL_GOOD = "all good"
    ALL_BAD = "all bad"
    UNDECIDED = "undecided"
    """The newest candidate cannot be judged, or no older one can."""


class BisectCandidate(NamedTuple):
    """Checkpoints that follow each other and hold the same state, oldest first."""

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
    """Runs that can follow this one, if none is skipped."""


class End(NamedTuple):
    """There is nothing left to try."""

    outcome: str
    last_good: int | None = None
    first_bad: int | None = None

    @property
    def suspects(self) -> range:
        """Who may be the first bad one, where skipped ones stand before it."""
        if (
            self.outcome != BisectOutcome.BETWEEN
            or self.last_good is None
            or self.first_bad is None
        ):
            return range(0)
        return range(self.last_good + 1, self.first_bad + 1)


class BisectResult(NamedTuple):
    """How a search ended, and what it looked at."""

    outcome: str
    """One of `Outcome`."""
    command: str
    """The check, secrets redacted."""
    oldest: Checkpoint
    newest: Checkpoint
    candidates: int
    """States looked at; equal ones in a row count once."""
    first_bad: Checkpoint | None = None
    """The oldest that is known to be bad; the culprit, where the outcome is *found*."""
    last_good: Checkpoint | None = None
    """The newest good one before it."""
    suspects: tuple[Checkpoint, ...] = ()
    """Where the outcome is *between*: all that may be the first bad one, oldest first."""
    skipped: tuple[Checkpoint, ...] = ()
    flaky: tuple[Checkpoint, ...] = ()
    runs: int = 0
    """How often the check was run."""
    known: int = 0
    """Candidates whose word was known before."""
    deleted: int = 0
    """Checkpoints of the line that are gone and were passed over."""
    told: Told | None = None
    """The first bad one, and the story of what changed since the last good one."""

    @property
    def is_found(self) -> bool:
        return self.outcome == BisectOutcome.FOUND


def candidates_of(line: Sequence[Checkpoint]) -> tuple[BisectCandidate, ...]:
    """Return the candidates of a line, oldest first: equal states in a row are one."""
    return tuple(
        BisectCandidate(tuple(equal))
        for _, equal in groupby(line, lambda found: found.record.state)
    )


def word_of(runs: Sequence[Verdict], *, repeat: int, timeout: float) -> str | None:
    """Return what runs of one command on one state say, newest first; None where it takes more runs.

    A run that was given less time than this one would be says nothing.
    """
    if any(run.is_flaky for run in runs):
        return BisectMark.FLAKY
    telling = [run for run in runs if run.is_telling and run.ended == RunEnd.EXITED]
    if len(telling) >= repeat:
        return BisectMark.GOOD if telling[0].status == VerdictStatus.PASSING else BisectMark.BAD
    if runs and runs[0].ended == RunEnd.SKIPPED:
        return BisectMark.SKIPPED
    if runs and runs[0].ended == RunEnd.TIMEOUT and runs[0].duration_ns >= timeout * 1e9:
        return BisectMark.SKIPPED
    return None


def next_step(words: Sequence[str | None]) -> Try | End:
    """Return what to do next, given what is known of each candidate, oldest first."""
    newest = len(words) - 1
    if words[newest] is None:
        return Try(newest, 1 + max(newest - 1, 0).bit_length() if newest else 0)
    if words[newest] == BisectMark.GOOD:
        return End(BisectOutcome.ALL_GOOD, last_good=newest)
    if words[newest] != BisectMark.BAD:
        return End(BisectOutcome.UNDECIDED)
    good = max((at for at in range(newest) if words[at] == BisectMark.GOOD), default=None)
    if good is None:
        return _look_for_a_good_one(words)
    bad = next(at for at in range(good + 1, newest + 1) if words[at] == BisectMark.BAD)
    untried = [at for at in range(good + 1, bad) if words[at] is None]
    if untried:
        passed = [at for at in range(good + 1, bad) if words[at] is not None]
        return Try(_middle(untried, passed), len(untried).bit_length() - 1)
    return End(BisectOutcome.FOUND if bad == good + 1 else BisectOutcome.BETWEEN, good, bad)


def _look_for_a_good_one(words: Sequence[str | None]) -> Try | End:
    """Return the oldest that can be judged; the one that was named may be none."""
    oldest = next(at for at, word in enumerate(words) if word in (None, BisectMark.BAD))
    if words[oldest] is None:
        left = sum(word is None for word in words[oldest + 1 :])
        return Try(oldest, left.bit_length())
    if oldest == len(words) - 1 and oldest:
        return End(BisectOutcome.UNDECIDED, first_bad=oldest)
    return End(BisectOutcome.ALL_BAD, first_bad=oldest)


def _middle(untried: Sequence[int], passed: Sequence[int]) -> int:
    """Return the one to try next: whatever it says, at most half of them are left.

    Where several would do, it is the one farthest from those that could not be judged: what breaks
    a check tends to break it for a while.
    """
    half = 1 << (len(untried).bit_length() - 1)
    middle = (len(untried) - 1) // 2
    ranks = range(len(untried) - half, half)

    def preference(rank: int) -> tuple[int, int]:
        distances = [abs(untried[rank] - at) for at in passed]
        return min(distances, default=0), -abs(rank - middle)

    return untried[max(ranks, key=preference)]
