"""`clew exec`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.copies import ALLOW_SOCKET, NETWORK, where_started
from clew.cli.declare import ALL, REF, Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.model.sandbox_results import command_of
from clew.model.verdict import RunEnd
from clew.render import json_sandbox, sandbox
from clew.render.safe import safe

if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.sandbox_results import RunOutcome

COMMAND = Command(
    "exec",
    "Run a command in a sandboxed copy and show what it would change",
    """\
A dry run: the copy of REF is mounted at the workspace's own path and deleted afterwards; the rest of
the disk is read-only, and there is no network unless `--network host` is given. Changes to temporary
directories are discarded. To keep the result, use `clew try`.
The output of CMD goes to standard error, the list of changes to standard output.
Exits with the exit code of CMD, 124 if it timed out, 127 if it could not be started.""",
    (REF, Positional("CMD", "One shell command line, or a command and its arguments",
                     many=True, after_dashes=True)),
    (
        Option(("--timeout",), "Time limit, such as 90s or 5m (default: none)", "TIME"),
        NETWORK,
        ALLOW_SOCKET,
        ALL,
    ),
)  # fmt: skip

_CODES = {
    RunEnd.TIMEOUT: ExitCode.TIMED_OUT,
    RunEnd.INTERRUPTED: ExitCode.INTERRUPTED,
    RunEnd.FAILED: ExitCode.NOT_STARTED,
}


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        result = workspace.exec(
            args.one("REF"),
            where_started(command_of(args.all("CMD")), workspace, context),
            timeout=args.maybe("--timeout"),
            network=args.maybe("--network"),
            allow_sockets=args.all("--allow-socket"),
            watch=None if context.as_json else _speaker(context),
            monitor=context.monitor,
        )
    look = context.look()
    context.emit(
        lambda: json_sandbox.executed(result),
        lambda: sandbox.executed(result, look, everything=args.given("--all")),
    )
    return _code(result.outcome)


def _speaker(context: CommandContext) -> Callable[[bytes], None]:
    """Return a function that prints the command's output as it arrives, escaped."""
    from codecs import getincrementaldecoder

    decoder = getincrementaldecoder("utf-8")(
        "surrogateescape"
    )  # a piece may end inside a character
    stream = context.terminal.stderr

    def speak(piece: bytes) -> None:
        context.clear()
        stream.write(safe(decoder.decode(piece), keep="\n\t"))
        stream.flush()

    return speak


def _code(outcome: RunOutcome) -> int:
    return _CODES.get(outcome.end_reason, outcome.exit_code or ExitCode.DONE)
