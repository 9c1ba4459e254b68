"""Exec: run a command in a private copy of a checkpoint, and return what it would change.

The rest of the disk is read-only to the command, so it leaves nothing behind.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import Any

from clew.model.checkpoint import Checkpoint
from clew.model.named_tuple import NamedTuple
from clew.model.results import Difference
from clew.model.sandbox_results import Command, Executed, RunOutcome, line_of, words_of
from clew.model.verdict import RunEnd
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.copies.isolation import Isolation
from clew.operations.copies.private_copy import Performed, Seen, as_workspace, in_private_copy
from clew.operations.copies.scan_directory import scan_directory
from clew.operations.history.diff import compare
from clew.operations.history.moment import StorySide
from clew.operations.history.story import story_between
from clew.operations.maintenance.settings import as_seconds, require_check
from clew.operations.sandbox.coverage_notes import coverage_notes
from clew.operations.sandbox.verdicts import stored_command, tail
from clew.worktree.child_process import can_fork
from clew.worktree.run_command import CommandResult, Watch


class ExecOptions(NamedTuple):
    """The command to run, and its limits."""

    command: Command
    timeout: float | None = None
    """Seconds."""
    isolation: Isolation = Isolation()
    watch: Watch | None = None
    """Receives the output in a forked process; as a whole at the end, in a process with threads."""


def exec_options(
    command: Command, timeout: str | float | None, isolation: Isolation, watch: Watch | None
) -> ExecOptions:
    """Return the options; refuse those that cannot be run."""
    require_check("CMD", line_of(command))
    seconds = as_seconds("--timeout", timeout) if timeout is not None else None
    return ExecOptions(command, seconds, isolation, watch)


def execute(
    context: Context, checkpoint: Checkpoint, options: ExecOptions, monitor: Monitor
) -> Executed:
    """Run a command in a copy and return what it changed; the copy is discarded."""
    is_live = options.watch is None or can_fork()
    work = partial(
        _run_and_compare, context, checkpoint, options if is_live else options._replace(watch=None)
    )
    performed = in_private_copy(
        context,
        checkpoint,
        work,
        isolation=options.isolation,
        read_only_elsewhere=True,
        monitor=monitor,
    )
    ran, difference = performed.result
    if options.watch is not None and not is_live:
        options.watch(ran.output)
    return Executed(outcome_of(ran, options.command, checkpoint, performed), difference)


def _run_and_compare(
    context: Context, checkpoint: Checkpoint, options: ExecOptions, seen: Seen
) -> tuple[CommandResult, Difference | None]:
    ran = seen.run(words_of(options.command), timeout=options.timeout, watch=options.watch)
    if ran.how == RunEnd.INTERRUPTED:
        return ran, None
    with as_workspace(context, checkpoint, seen) as copy, copy.store.locks.shared(Monitor()):
        return ran, _difference(copy, checkpoint)


def outcome_of(
    ran: CommandResult, command: Command, checkpoint: Checkpoint, performed: Performed[Any]
) -> RunOutcome:
    """Return how a command ended, redacted, with the limits of the isolation."""
    return RunOutcome(
        stored_command(line_of(command)),
        ran.how,
        ran.exit_code,
        ran.duration_ns,
        tail(ran.output),
        performed.where,
        performed.net,
        (*performed.notes, *coverage_notes(checkpoint)),
    )


def _difference(copy: Context, checkpoint: Checkpoint) -> Difference:
    with closing(copy.open_cache()) as cache:
        seen = scan_directory(copy, copy.root, copy.rules, cache, Monitor())
    found = compare(copy, checkpoint, None, seen, ())
    # Processes and ports belong to the machine, not to the copy.
    before, after = StorySide(checkpoint.record.tree, None), StorySide(seen[0].tree, None, seen[1])
    return found._replace(story=story_between(copy, before, after).without_paths())
