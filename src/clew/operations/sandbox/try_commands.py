"""Try: run several commands from one checkpoint, in parallel, each in its own copy.

Each command that ends becomes a fork without a directory; its newest checkpoint holds the result.
A failure affects only its own attempt.  A try that is interrupted leaves nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial

from clew.errors import BadOption
from clew.model.checkpoint import Checkpoint
from clew.model.named_tuple import NamedTuple
from clew.model.sandbox_results import (
    AttemptResult,
    Command,
    NamedCommand,
    RunOutcome,
    TryResult,
    line_of,
)
from clew.model.verdict import RunEnd
from clew.monitor import Monitor, Once
from clew.operations.context import Context
from clew.operations.copies.isolation import Isolation, announce
from clew.operations.forks.create_fork import require_fork_name
from clew.operations.forks.discard import discard_fork
from clew.operations.history.story import difference_with_story
from clew.operations.maintenance.settings import VERIFY, as_seconds, in_force, require_check
from clew.operations.sandbox.run_attempt import AttemptJob, AttemptRun, run_attempt
from clew.operations.sandbox.verdicts import stored_command
from clew.operations.sandbox.verify import TIMEOUT
from clew.operations.sandbox.verify_copy import CheckOptions, compare_and_store
from clew.worktree.http_probe import is_address
from clew.worktree.independent import INTERRUPTED, TaskResult, run_independently


class TryOptions(NamedTuple):
    """The commands to run, and their limits."""

    attempts: tuple[NamedCommand, ...]
    check: Command | None
    """The check that is run on each result."""
    jobs: int
    """How many run at a time."""
    timeout: float
    """Seconds, for each command."""
    isolation: Isolation


def try_options(
    context: Context,
    attempts: Mapping[str, Command],
    verify: Command | None,
    jobs: int | None,
    timeout: str | float | None,
    isolation: Isolation,
) -> TryOptions:
    """Return the options; refuse those that cannot be run."""
    if not attempts:
        raise BadOption("--attempt", "at least one NAME=COMMAND is required")
    for name, command in attempts.items():
        require_fork_name(name)
        require_check("--attempt", line_of(command))
    if jobs is not None and jobs < 1:
        raise BadOption("--jobs", "must be at least 1")
    return TryOptions(
        tuple(NamedCommand(name, command) for name, command in attempts.items()),
        _check(context, verify),
        jobs if jobs is not None else context.host.processors(),
        as_seconds("--timeout", timeout) if timeout is not None else TIMEOUT,
        isolation,
    )


def try_commands(
    context: Context, base: Checkpoint, options: TryOptions, monitor: Monitor
) -> TryResult:
    """Run every command and return the results; the caller holds no lock."""
    if options.check is None and is_address(in_force(context)[VERIFY]):
        monitor.notice("The configured check is a URL and is not run on the results")
    check = None
    if options.check is not None:
        check = CheckOptions(options.check, options.timeout, options.isolation)
    jobs = [
        AttemptJob(attempt, os.urandom(16), check, options.timeout, options.isolation)
        for attempt in options.attempts
    ]
    monitor = Once(monitor)  # a control run has the limits of the attempts
    announce(context, base, options.isolation, monitor)
    finished = run_independently(
        [partial(run_attempt, context, base, job) for job in jobs], options.jobs
    )
    ends = [_end(job, result) for job, result in zip(jobs, finished.results, strict=True)]
    if finished.was_interrupted or any(end.was_interrupted for end in ends):
        ends = [end.cut_short() for end in ends]
    for job, end in zip(jobs, ends, strict=True):
        if end.checkpoint is None:
            _remove_fork(context, job, monitor)
    if check is not None:
        ends = [_compare_and_store(context, end, check, monitor) for end in ends]
    line = stored_command(line_of(options.check)) if options.check is not None else ""
    with context.store.locks.shared(monitor):
        attempts = tuple(
            _attempt_result(context, base, job, end, monitor)
            for job, end in zip(jobs, ends, strict=True)
        )
        return TryResult(base, line, attempts)


def _check(context: Context, verify: Command | None) -> Command | None:
    """Return the check for each result: the given one, else the workspace's own."""
    if verify is not None:
        require_check("--verify", line_of(verify))
        if is_address(line_of(verify)):
            raise BadOption("--verify", "requires a command, not a URL")
        return verify
    own = in_force(context)[VERIFY]
    return own if own and not is_address(own) else None


def _end(job: AttemptJob, result: TaskResult[AttemptRun]) -> AttemptRun:
    """Return the result of an attempt, also of one that failed."""
    if result.value is not None:
        return result.value
    how = RunEnd.INTERRUPTED if result.problem == INTERRUPTED else RunEnd.FAILED
    line = stored_command(line_of(job.attempt.command))
    return AttemptRun(
        RunOutcome(line, how, None, 0, f"{result.problem}\n", "", job.isolation.network)
    )


def _compare_and_store(
    context: Context, end: AttemptRun, check: CheckOptions, monitor: Monitor
) -> AttemptRun:
    if end.checkpoint is None or end.verdict is None:
        return end
    with context.store.locks.shared(monitor):
        checkpoint = context.find(end.checkpoint)
    verdict = compare_and_store(context, checkpoint, end.verdict, check, monitor)
    return end._replace(verdict=verdict)


def _remove_fork(context: Context, job: AttemptJob, monitor: Monitor) -> None:
    """Remove the fork of an attempt that failed, if it was created already."""
    fork = context.store.forks.get(job.fork)
    if fork is not None:
        discard_fork(context, fork, monitor, force=True)


def _attempt_result(
    context: Context,
    base: Checkpoint,
    job: AttemptJob,
    end: AttemptRun,
    monitor: Monitor,
) -> AttemptResult:
    name = job.attempt.name
    fork = context.store.forks.get(job.fork)
    if fork is None or end.checkpoint is None:
        return AttemptResult(name, end.outcome)
    checkpoint = context.find(end.checkpoint)
    difference = difference_with_story(context, base, checkpoint, (), monitor)
    assert difference.story is not None
    checkpoint = checkpoint._replace(is_here=True, headline=difference.story.headline)
    return AttemptResult(name, end.outcome, fork.name, checkpoint, end.verdict, difference)
