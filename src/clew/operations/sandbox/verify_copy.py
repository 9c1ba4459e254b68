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
from clew.monitor import Monitor, Once
from clew.operations.access import Access
from clew.operations.context import Context
from clew.operations.copies.isolation import Isolation
from clew.operations.copies.private_copy import Performed, Seen, in_private_copy
from clew.operations.maintenance.settings import as_seconds, own_check, require_check
from clew.operations.sandbox.control_run import compare_with_control, inconclusive
from clew.operations.sandbox.coverage_notes import coverage_notes
from clew.operations.sandbox.verdicts import store_verdict, verdict_from
from clew.operations.sandbox.verify import TIMEOUT
from clew.render.safe import safe_path
from clew.worktree.http_probe import is_address
from clew.worktree.path_references import find_references, names_path
from clew.worktree.refresh_git_index import refresh_git_indexes
from clew.worktree.run_command import CommandResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CURRENT_DIRECTORY = (b"PWD", b"OLDPWD")


class CheckOptions(NamedTuple):
    """The check to run, and how."""

    command: Command
    """A shell command, a URL, or the words of a command."""
    timeout: float
    """Seconds."""
    isolation: Isolation = Isolation()
    serve: str | None = None
    """A server to start in the copy before the URL is probed."""


def chosen_check(
    context: Context,
    command: Command | None,
    timeout: str | float | None,
    isolation: Isolation,
    serve: str | None = None,
) -> CheckOptions:
    """Return the check to run, by default the workspace's own.

    A check that cannot be run is refused here, before anything is copied.
    """
    options = CheckOptions(
        command if command is not None else own_check(context),
        as_seconds("--timeout", timeout) if timeout is not None else TIMEOUT,
        isolation,
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
    monitor = Once(monitor)  # a control run has the limits of the first
    verdict = _run(context, options, skip_code, monitor, checkpoint)
    return compare_and_store(context, checkpoint, verdict, options, monitor, skip_code=skip_code)


def compare_and_store(
    context: Context,
    checkpoint: Checkpoint,
    verdict: Verdict,
    options: CheckOptions,
    monitor: Monitor,
    *,
    skip_code: int | None = None,
) -> Verdict:
    """Store and return a verdict, inconclusive if the check fails in the same way in a control."""
    run = partial(_run, context, options, skip_code, monitor)
    verdict, control = compare_with_control(context, verdict, run, monitor)
    with context.store.locks.shared(monitor):
        notices = store_verdict(context, checkpoint, verdict).notices
        if control is not None:
            store_verdict(context, *control)
    for notice in notices:
        monitor.notice(notice)
    return verdict


def _run(
    context: Context,
    options: CheckOptions,
    skip_code: int | None,
    monitor: Monitor,
    checkpoint: Checkpoint,
) -> Verdict:
    """Run a check in a private copy of a checkpoint; return its verdict and store nothing."""
    check = partial(run_check, context, options)
    performed = in_private_copy(
        context, checkpoint, check, isolation=options.isolation, monitor=monitor
    )
    notes = (*performed.notes, *coverage_notes(checkpoint))
    return verdict_of(performed, performed.result, checkpoint, options, notes, skip_code)


class CheckRun(NamedTuple):
    """A check that was run in a copy."""

    ran: CommandResult
    started_ns: int
    reference: str
    """What names the live workspace, if the copy was at another path; else empty."""


def run_check(context: Context, options: CheckOptions, seen: Seen) -> CheckRun:
    """Run a check in a copy whose files are not captured afterwards."""
    line, started = line_of(options.command), context.host.now_ns()
    if options.serve is not None:
        ran = seen.serve_and_probe(options.serve, line, timeout=options.timeout)
        return CheckRun(ran, started, "")
    reference = _reference_to_live(line, context, seen) if seen.root != context.root else ""
    refresh_git_indexes(seen.root)
    ran = seen.run(words_of(options.command), timeout=options.timeout)
    return CheckRun(ran, started, reference)


def verdict_of(
    performed: Performed[Any],
    check: CheckRun,
    checkpoint: Checkpoint,
    options: CheckOptions,
    notes: tuple[str, ...],
    skip_code: int | None = None,
) -> Verdict:
    """Return the verdict of a check on the state of a checkpoint."""
    verdict = verdict_from(
        check.ran,
        line_of(options.command),
        performed.where,
        checkpoint.record.state,
        check.started_ns,
        Details(network=performed.net, notes=notes),
        skip_code=skip_code,
    )
    if check.reference and verdict.is_telling:
        reason = f"the copy was at another path, and {check.reference} names the live one"
        return inconclusive(verdict, reason)
    return verdict


def _reference_to_live(line: str, context: Context, seen: Seen) -> str:
    """Return what names a path in the live workspace: a file, the command or a variable."""
    groups = find_references(seen.root, [context.root]).groups
    if groups:
        return repr(safe_path(groups[0].paths[0]))
    if names_path(line.encode("utf-8", "surrogateescape"), context.root):
        return "the command"
    for name, value in context.host.environ.items():
        if name not in _CURRENT_DIRECTORY and names_path(value, context.root):
            return f"${name.decode('utf-8', 'replace')}"
    return ""
