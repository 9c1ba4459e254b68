"""Verify a checkpoint later: run a check in a private copy of it.

The live workspace is neither changed nor visible to the check.
"""

from __future__ import annotations

from functools import partial

from clew.errors import BadOption
from clew.model.checkpoint import Checkpoint
from clew.model.named_tuple import NamedTuple
from clew.model.sandbox_results import Command, VerifyResult, line_of, words_of
from clew.model.verdict import Details, Verdict
from clew.monitor import Monitor
from clew.operations.access import Access
from clew.operations.context import Context
from clew.operations.copies.private_copy import Seen, in_private_copy
from clew.operations.maintenance.settings import as_seconds, own_check, require_check
from clew.operations.sandbox.coverage_notes import coverage_notes
from clew.operations.sandbox.verdicts import store_verdict, verdict_from
from clew.operations.sandbox.verify import TIMEOUT
from clew.worktree.http_probe import is_address
from clew.worktree.run_command import CommandResult
from clew.worktree.sandbox import Net


class CheckOptions(NamedTuple):
    """The check to run, and how."""

    command: Command
    """A shell command, a URL, or the words of a command."""
    timeout: float
    """Seconds."""
    network: str = Net.OWN
    serve: str | None = None
    """A server to start in the copy before the URL is probed."""


def chosen_check(
    context: Context,
    command: Command | None,
    timeout: str | float | None,
    network: str | None,
    serve: str | None = None,
) -> CheckOptions:
    """Return the check to run, by default the workspace's own.

    A check that cannot be run is refused here, before anything is copied.
    """
    options = CheckOptions(
        command if command is not None else own_check(context),
        as_seconds("--timeout", timeout) if timeout is not None else TIMEOUT,
        require_network(network),
        serve,
    )
    line = line_of(options.command)
    require_check("CMD", line)
    if serve is not None:
        require_check("--serve", serve)
        if not is_address(line):
            raise BadOption("--serve", "requires a URL; a command can start its own server")
    elif is_address(line):
        raise BadOption("--serve", f"required to probe a URL in a sandboxed copy: {line!r}")
    return options


def require_network(network: str | None) -> str:
    """Return the network option; refuse an unknown one."""
    if network is None:
        return Net.OWN
    if network not in (Net.OWN, Net.HOST):
        raise BadOption("--network", f"must be {Net.OWN} or {Net.HOST}: {network!r}")
    return network


def verify_reference(
    access: Access, ref: str, options: CheckOptions, monitor: Monitor
) -> VerifyResult:
    """Run a check in a private copy of a checkpoint; return both as they are recorded then.

    It takes its own locks, and holds none while the check runs.
    """
    with access.reading(monitor):
        checkpoint = access.look_up(ref, monitor)
    verdict = verify_checkpoint(access.context, checkpoint, options, monitor)
    with access.reading(monitor) as context:
        found = context.mark_here(context.find(checkpoint.id))
        runs = context.store.verdicts.of_state(verdict.state, verdict.command)
    return VerifyResult(found, verdict._replace(is_flaky=runs[0].is_flaky))


def verify_checkpoint(
    context: Context,
    checkpoint: Checkpoint,
    options: CheckOptions,
    monitor: Monitor,
    *,
    skip_code: int | None = None,
) -> Verdict:
    """Run a check in a private copy of a checkpoint; store and return its verdict.

    `skip_code` is the exit code of a check that cannot judge this checkpoint.
    The caller holds no lock: checks may take long.
    """
    line = line_of(options.command)
    started = context.host.now_ns()
    check = partial(_check, options)
    performed = in_private_copy(context, checkpoint, check, net=options.network, monitor=monitor)
    details = Details(network=performed.net, notes=(*performed.notes, *coverage_notes(checkpoint)))
    state = checkpoint.record.state
    verdict = verdict_from(
        performed.result, line, performed.where, state, started, details, skip_code=skip_code
    )
    with context.store.locks.shared(monitor):
        kept = store_verdict(context, checkpoint, verdict)
    for notice in kept.notices:
        monitor.notice(notice)
    return verdict


def _check(options: CheckOptions, seen: Seen) -> CommandResult:
    if options.serve is not None:
        line = line_of(options.command)
        return seen.serve_and_probe(options.serve, line, timeout=options.timeout)
    return seen.run(words_of(options.command), timeout=options.timeout)
