"""Bisect: find the first bad checkpoint by running a check in private copies.

The search is in `model/bisect_search.py`.  Its memory is the verdicts, which belong to states: known
verdicts are reused, and the same command continues after an interrupt.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from clew.errors import BadOption, ClewError, StoreDamaged
from clew.model.bisect_search import (
    BisectCandidate,
    BisectMark,
    BisectOutcome,
    BisectResult,
    End,
    Try,
    candidates_of,
    next_step,
    word_of,
)
from clew.model.checkpoint import Checkpoint
from clew.model.ids import StateId
from clew.model.named_tuple import NamedTuple
from clew.model.results import CheckpointStory
from clew.model.sandbox_results import line_of
from clew.model.verdict import RunEnd, Verdict
from clew.monitor import Monitor, Once
from clew.operations.access import Access
from clew.operations.context import Context
from clew.operations.sandbox.bisect_range import Range, range_between, range_to
from clew.operations.sandbox.control_run import NOT_FOUND, fails_alike
from clew.operations.sandbox.verdicts import stored_command
from clew.operations.sandbox.verify_copy import CheckOptions, verify_checkpoint
from clew.render.bisect import answer, question

SKIP_CODE = 125
"""The exit code of a check that cannot judge a checkpoint, as for `git bisect run`."""

Judge = Callable[[Checkpoint], Verdict]
"""Runs the check on a checkpoint and stores its verdict."""


class BisectOptions(NamedTuple):
    """Which verdicts count for this bisect."""

    command: str
    """The command as stored in verdicts."""
    timeout: float
    """Seconds."""
    repeat: int = 1
    """Runs per candidate, which must agree."""


def bisect_workspace(
    access: Access,
    good: str | None,
    bad: str | None,
    check: CheckOptions,
    *,
    repeat: int,
    monitor: Monitor,
) -> BisectResult:
    """Find the first bad checkpoint between two references; holds no lock while a check runs."""
    if repeat < 1:
        raise BadOption("--repeat", "must be at least 1")
    options = BisectOptions(stored_command(line_of(check.command)), check.timeout, repeat)
    with access.reading(monitor):
        line = _range(access, good, bad, options, monitor)
    heard = Once(monitor)  # a limit of the isolation is the same for every copy

    def judge(checkpoint: Checkpoint) -> Verdict:
        return verify_checkpoint(access.context, checkpoint, check, heard, skip_code=SKIP_CODE)

    found = bisect(access.context, line, options, judge, monitor)
    with access.reading(monitor) as context:
        return with_story(context, found)


def _range(
    access: Access, good: str | None, bad: str | None, options: BisectOptions, monitor: Monitor
) -> Range:
    """Return the checkpoints to search."""
    newest = access.resolve(bad if bad is not None else "@", monitor)
    if bad is None:
        notice_unsaved(access.context, newest, monitor)
    if good is None:
        return range_to(access.context, newest, known_to_pass(access.context, options))
    return range_between(access.context, access.resolve(good, monitor), newest)


def known_to_pass(context: Context, options: BisectOptions) -> Callable[[Checkpoint], bool]:
    """Return a function that tells whether the check is known to pass on a checkpoint."""

    def known_good(checkpoint: Checkpoint) -> bool:
        return (
            _known(context, checkpoint.record.state, options._replace(repeat=1)) == BisectMark.GOOD
        )

    return known_good


def bisect(
    context: Context, line: Range, options: BisectOptions, judge: Judge, monitor: Monitor
) -> BisectResult:
    """Return the result of the search, without its story."""
    search = _Search(context, candidates_of(line.checkpoints), options, judge, monitor)
    end = search.run()
    candidates = search.candidates
    good, bad = end.last_good, end.first_bad
    return BisectResult(
        end.outcome,
        options.command,
        oldest=candidates[0].first,
        newest=candidates[-1].last,
        candidates=len(candidates),
        first_bad=None if bad is None else candidates[bad].first,
        last_good=None if good is None else candidates[good].last,
        suspects=tuple(candidates[at].first for at in end.suspects),
        skipped=search.with_word(BisectMark.SKIPPED),
        flaky=search.with_word(BisectMark.FLAKY),
        runs=search.runs,
        known=search.known,
        deleted=line.deleted,
        reason=end.reason,
    )


def with_story(context: Context, found: BisectResult) -> BisectResult:
    """Add the story from the last good checkpoint to the first bad one."""
    good, bad = (
        _as_it_reads_now(context, found.last_good),
        _as_it_reads_now(context, found.first_bad),
    )
    details = _details(context, good, bad) if good is not None and bad is not None else None
    return found._replace(last_good=good, first_bad=bad, details=details)


def notice_unsaved(context: Context, here: Checkpoint, monitor: Monitor) -> None:
    """Report unsaved changes: a bisect reads only checkpoints."""
    from clew.operations.save.scan import scan_live  # noqa: PLC0415  only where BAD is *here*

    if not os.path.isdir(context.root):
        return
    try:
        state = scan_live(context, Monitor())[0].state
    except (ClewError, OSError):
        return  # only a notice depends on it
    if state != here.record.state:
        monitor.notice("The workspace has unsaved changes; only checkpoints are tested")


class _Search:
    """A search in progress: the known mark of each state, and the function that runs the check."""

    def __init__(
        self,
        context: Context,
        candidates: tuple[BisectCandidate, ...],
        options: BisectOptions,
        judge: Judge,
        monitor: Monitor,
    ) -> None:
        self.candidates = candidates
        self.runs = 0
        self._context = context
        self._options = options
        self._judge = judge
        self._monitor = monitor
        self._newest: Verdict | None = None
        """The verdict of this search on the newest candidate."""
        states = dict.fromkeys(found.state for found in candidates)
        self._words = {state: _known(context, state, options) for state in states}
        self.known = sum(self._words[found.state] is not None for found in candidates)

    def run(self) -> End:
        """Run candidates until the search has ended."""
        try:
            while isinstance(step := next_step(self._in_order()), Try):
                verdict = self._try(self.candidates[step.at], step.more)
                reason = self._why_inconclusive(step.at, verdict)
                if reason:
                    return End(BisectOutcome.INCONCLUSIVE, reason=reason)
        except KeyboardInterrupt:
            self._monitor.notice("Results so far are stored; run the same command to continue")
            raise
        return step

    def with_word(self, word: str) -> tuple[Checkpoint, ...]:
        found = zip(self.candidates, self._in_order(), strict=True)
        return tuple(candidate.last for candidate, known in found if known == word)

    def _in_order(self) -> Sequence[str | None]:
        return [self._words[found.state] for found in self.candidates]

    def _try(self, candidate: BisectCandidate, more: int) -> Verdict | None:
        self._monitor.notice(question(candidate.last, more))
        word, verdict = self._ask(candidate)
        self._words[candidate.state] = word
        self._monitor.notice(answer(word, verdict))
        return verdict

    def _why_inconclusive(self, at: int, verdict: Verdict | None) -> str:
        """Return why no candidate can be judged in a copy; empty if the search can go on."""
        if verdict is None:
            return ""
        if verdict.end_reason == RunEnd.INCONCLUSIVE:
            return verdict.details.reason
        if at == len(self.candidates) - 1:
            self._newest = verdict
        elif at == 0 and self._newest is not None and verdict.exit_code in NOT_FOUND:
            if fails_alike(self._newest, verdict):
                return "it cannot be started in copies of the oldest and of the newest checkpoint"
        return ""

    def _ask(self, candidate: BisectCandidate) -> tuple[str, Verdict | None]:
        """Run the check as often as needed; return the mark and the last verdict."""
        verdict = None
        for _ in range(self._options.repeat):
            try:
                verdict = self._judge(candidate.last)
            except StoreDamaged as error:
                self._monitor.notice(f"Cannot read the checkpoint: {error}")
                break
            self.runs += 1
            if verdict.end_reason == RunEnd.INTERRUPTED:
                raise KeyboardInterrupt
            word = _known(self._context, candidate.state, self._options)
            if word is not None:
                return word, verdict
            if not verdict.is_telling:
                break
        return BisectMark.SKIPPED, verdict


def _known(context: Context, state: StateId, options: BisectOptions) -> str | None:
    """Return the mark of a state from stored verdicts."""
    runs = context.store.verdicts.of_state(state, options.command)
    return word_of(runs, repeat=options.repeat, timeout=options.timeout)


def _as_it_reads_now(context: Context, checkpoint: Checkpoint | None) -> Checkpoint | None:
    """Return a checkpoint with its current verdict."""
    found = context.store.checkpoints.get(checkpoint.id) if checkpoint is not None else None
    return context.mark_here(found) if found is not None else checkpoint


def _details(context: Context, good: Checkpoint, bad: Checkpoint) -> CheckpointStory:
    from clew.operations.history.story import story_between, story_details, story_side  # noqa: PLC0415  at the end only
    from clew.story.intent import left_unsaid  # noqa: PLC0415

    since, _ = context.store.checkpoints.surviving(bad.record.parent)
    if since == good.id:
        return story_details(context, bad)
    story = story_between(context, story_side(context, good), story_side(context, bad))
    unmentioned = left_unsaid(bad.labels.intent, story)
    return CheckpointStory(
        bad._replace(headline=story.headline), story.without_paths(), unmentioned
    )
