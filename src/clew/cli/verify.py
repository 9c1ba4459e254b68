"""`clew verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.copies import COMMAND_WORDS, NET, TIMEOUT
from clew.cli.declare import REF, Command, Option
from clew.cli.exits import ExitCode
from clew.model.sandbox_results import command_of
from clew.model.verdict import RunEnd, VerdictStatus
from clew.render import json_sandbox, sandbox

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.verdict import Verdict

COMMAND = Command(
    "verify",
    "Check a moment in a private copy of it",
    """\
The copy stands at the workspace's own path, with processes, a network and a /tmp of its own; the
workspace is neither touched nor seen.
The home directory and the rest of the disk are the live ones.
CMD is one text for the shell, or the words of a command; by default it is what
`clew config set verify` says.
An address like http://127.0.0.1:3000/health is asked until it answers, with --serve.
The verdict belongs to the state: every checkpoint with the same files shares it.
The exit code is 0 if it passes, 4 if it fails, and 1 if that stays unknown.""",
    (REF, COMMAND_WORDS),
    (
        Option(("--serve",), "Start COMMAND in the copy first; CMD is then an address", "COMMAND"),
        TIMEOUT,
        NET,
    ),
)

_CODES = {VerdictStatus.PASSING: ExitCode.DONE, VerdictStatus.FAILING: ExitCode.VERIFICATION}


def run(args: Arguments, context: CommandContext) -> int:
    words = args.all("CMD")
    with context.open() as workspace:
        result = workspace.verify(
            args.one("REF"),
            command_of(words) if words else None,
            timeout=args.maybe("--timeout"),
            net=args.maybe("--net"),
            serve=args.maybe("--serve"),
            monitor=context.monitor,
        )
    look = context.look()
    context.emit(lambda: json_sandbox.judged(result), lambda: sandbox.judged(result, look))
    return _code(result.verdict)


def _code(verdict: Verdict) -> int:
    """Return the exit code for this run, whatever others said."""
    if verdict.ended == RunEnd.INTERRUPTED:
        return ExitCode.INTERRUPTED
    return _CODES.get(verdict._replace(is_flaky=False).status, ExitCode.FAILED)
