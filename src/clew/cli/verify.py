"""`clew verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.copies import ALLOW_SOCKET, COMMAND_WORDS, NETWORK, TIMEOUT, where_started
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
    "Run a check on a checkpoint in a sandboxed copy",
    """\
The copy is mounted at the workspace's own path in a sandbox with separate processes and network; the
workspace itself is not visible. Temporary directories show the live files, and changes to them are
discarded. Live unix sockets cannot be reached. The home directory and the rest of the disk are live.
CMD is one shell command line, or a command and its arguments; the default is set with
`clew config set verify COMMAND`. With --serve, CMD is a URL such as http://127.0.0.1:3000/health,
probed until it responds.
The result applies to every checkpoint with the same files. If the check fails, it also runs in a copy
of a checkpoint where it passed live: if it fails there in the same way, the result is inconclusive.
Exits with 0 if the check passes, 4 if it fails, 1 if the result is unknown or inconclusive.""",
    (REF, COMMAND_WORDS),
    (
        Option(
            ("--serve",),
            "Start this server in the copy first; CMD is then a URL to probe",
            "COMMAND",
        ),
        TIMEOUT,
        NETWORK,
        ALLOW_SOCKET,
    ),
)

_CODES = {VerdictStatus.PASSING: ExitCode.DONE, VerdictStatus.FAILING: ExitCode.VERIFICATION}


def run(args: Arguments, context: CommandContext) -> int:
    words = args.all("CMD")
    with context.open() as workspace:
        result = workspace.verify(
            args.one("REF"),
            where_started(command_of(words), workspace, context) if words else None,
            timeout=args.maybe("--timeout"),
            network=args.maybe("--network"),
            allow_sockets=args.all("--allow-socket"),
            serve=args.maybe("--serve"),
            monitor=context.monitor,
        )
    look = context.look()
    context.emit(lambda: json_sandbox.judged(result), lambda: sandbox.judged(result, look))
    return exit_code(result.verdict)


def exit_code(verdict: Verdict) -> int:
    """Return the exit code for this run, regardless of earlier ones."""
    if verdict.end_reason == RunEnd.INTERRUPTED:
        return ExitCode.INTERRUPTED
    return _CODES.get(verdict._replace(is_flaky=False).status, ExitCode.FAILED)
