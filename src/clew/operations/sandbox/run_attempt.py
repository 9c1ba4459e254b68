"""Run one attempt: a command in a copy, its result stored as a fork, a check of the result.

It runs in a process of its own with a store of its own: a database connection must not cross a
fork.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial

from clew.model.checkpoint import Checkpoint
from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.model.sandbox_results import NamedCommand, RunOutcome, line_of, words_of
from clew.model.verdict import RunEnd, Verdict
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.copies.copy_result import commit_result, scan_result
from clew.operations.copies.isolation import Isolation
from clew.operations.copies.private_copy import Performed, Seen, as_workspace, in_private_copy
from clew.operations.forks.create_fork import Seed, create_fork
from clew.operations.sandbox.exec import outcome_of
from clew.operations.sandbox.verdicts import stored_command
from clew.operations.sandbox.verify_copy import CheckOptions, CheckRun, run_check, verdict_of
from clew.worktree.run_command import CommandResult


class AttemptJob(NamedTuple):
    """One attempt, with everything its process needs."""

    attempt: NamedCommand
    fork: bytes
    """The uuid of the fork it becomes; chosen first, so that the fork can be removed."""
    check: CheckOptions | None
    timeout: float
    isolation: Isolation


class AttemptRun(NamedTuple):
    """The result of an attempt."""

    outcome: RunOutcome
    checkpoint: CheckpointId | None = None
    verdict: Verdict | None = None
    """It is not stored: the caller may have to compare it with a control run."""

    @property
    def was_interrupted(self) -> bool:
        return self.outcome.end_reason == RunEnd.INTERRUPTED

    def cut_short(self) -> AttemptRun:
        """Return the same result marked as interrupted."""
        return AttemptRun(self.outcome._replace(end_reason=RunEnd.INTERRUPTED, exit_code=None))


class _Steps(NamedTuple):
    """What was done in the copy."""

    ran: CommandResult
    checkpoint: CheckpointId | None = None
    check: CheckRun | None = None


def run_attempt(context: Context, base: Checkpoint, job: AttemptJob) -> AttemptRun:
    """Run one attempt to its end; to be called in a child process."""
    with closing(context.store.open_again()) as store:
        return _go(Context(store, context.info, context.host), base, job)


def _go(context: Context, base: Checkpoint, job: AttemptJob) -> AttemptRun:
    work = partial(_take_steps, context, base, job)
    performed = in_private_copy(context, base, work, isolation=job.isolation, monitor=Monitor())
    steps = performed.result
    outcome = outcome_of(steps.ran, job.attempt.command, base, performed)
    if steps.check is not None and steps.check.ran.how == RunEnd.INTERRUPTED:
        return AttemptRun(outcome).cut_short()
    return AttemptRun(outcome, steps.checkpoint, _verdict(context, job, outcome, performed))


def _take_steps(context: Context, base: Checkpoint, job: AttemptJob, seen: Seen) -> _Steps:
    ran = seen.run(words_of(job.attempt.command), timeout=job.timeout)
    if ran.how != RunEnd.EXITED:
        return _Steps(ran)
    with as_workspace(context, base, seen) as copy, copy.store.locks.shared(Monitor()):
        kept = _keep(copy, base, job)
    check = run_check(context, job.check, seen) if job.check is not None else None
    return _Steps(ran, kept, check)


def _keep(copy: Context, base: Checkpoint, job: AttemptJob) -> CheckpointId:
    found = scan_result(copy, Monitor())
    fork = create_fork(copy, base, Seed(job.fork, job.attempt.name))
    return commit_result(copy, found, base, fork, stored_command(line_of(job.attempt.command)))


def _verdict(
    context: Context, job: AttemptJob, outcome: RunOutcome, performed: Performed[_Steps]
) -> Verdict | None:
    """Return the verdict of the check on the state of the result."""
    steps = performed.result
    if steps.checkpoint is None or steps.check is None or job.check is None:
        return None
    with context.store.locks.shared(Monitor()):
        checkpoint = context.find(steps.checkpoint)
    return verdict_of(performed, steps.check, checkpoint, job.check, outcome.notes)
