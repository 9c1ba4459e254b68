"""`clew try`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.copies import ALLOW_SOCKET, NETWORK, where_started
from clew.cli.declare import ALL, REF, Command, Option
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.render import json_sandbox, sandbox

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.sandbox_results import TryResult

COMMAND = Command(
    "try",
    "Run several commands from one checkpoint and compare the results",
    """\
Each command runs in the shell in its own sandboxed copy of REF, in parallel with the others. The home
directory and the rest of the disk are live.
Every command that finishes becomes a fork with its NAME: merge it with `clew adopt NAME`, compare
several with `clew compare`, delete it with `clew discard NAME`.
The check runs in the same copy, after the result is captured.
Exits with 0 if one succeeds, 4 if the check fails for all, 1 if none succeeds.""",
    (REF,),
    (
        Option(
            ("--attempt",), "Command to try, with a name for its fork", "NAME=COMMAND", many=True
        ),
        Option(("--verify",), "Check for each result (default: the configured check)", "COMMAND"),
        Option(("--jobs",), "Number of commands to run in parallel", "N"),
        Option(("--timeout",), "Time limit for each command and check (default 10m)", "TIME"),
        NETWORK,
        ALLOW_SOCKET,
        ALL,
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    attempts = _attempts(args.all("--attempt"))
    verify = args.maybe("--verify")
    with context.open() as workspace:
        board = workspace.try_commands(
            args.one("REF"),
            {name: where_started(one, workspace, context) for name, one in attempts.items()},
            verify=where_started(verify, workspace, context) if verify is not None else None,
            jobs=args.number("--jobs", 1),
            timeout=args.maybe("--timeout"),
            network=args.maybe("--network"),
            allow_sockets=args.all("--allow-socket"),
            monitor=context.monitor,
        )
    look = context.look()
    context.emit(
        lambda: json_sandbox.board(board),
        lambda: sandbox.board(board, look, everything=args.given("--all")),
    )
    return _code(board)


def _attempts(pairs: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, command = pair.partition("=")
        if not equals:
            raise BadOption("--attempt", f"not NAME=COMMAND: {pair!r}")
        if name in found:
            raise BadOption("--attempt", f"given twice: {name!r}")
        found[name] = command
    return found


def _code(board: TryResult) -> int:
    if board.was_interrupted:
        return ExitCode.INTERRUPTED
    if any(one.is_good for one in board.attempts):
        return ExitCode.DONE
    was_checked = any(one.verdict is not None for one in board.attempts)
    return ExitCode.VERIFICATION if was_checked else ExitCode.FAILED
