"""`clew try`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.copies import NET
from clew.cli.declare import REF, Command, Option
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.render import json_sandbox, sandbox

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.sandbox_results import Board

COMMAND = Command(
    "try",
    "Go several ways from one moment and compare where they lead",
    """\
Each way is run by the shell in a private copy of REF, side by side with the others.
The home directory and the rest of the disk are the live ones.
A way that came to its end is a fork from then on, named after it: `clew adopt NAME` brings it back,
`clew compare` puts several side by side, and `clew discard NAME` drops it.
The check runs in the same copy, after the result was captured.
The exit code is 0 if a way is good, 4 if the check fails for all, 1 if none came to a good end.""",
    (REF,),
    (
        Option(("--way",), "A way to go, as NAME=COMMAND", "NAME=COMMAND", many=True),
        Option(("--verify",), "Check each result; by default with the configured check", "COMMAND"),
        Option(("--jobs",), "How many ways to go at a time", "N"),
        Option(("--timeout",), "Give up a way, or a check, after so long; by default 10m", "TIME"),
        NET,
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    ways = _ways(args.all("--way"))
    with context.open() as workspace:
        board = workspace.try_commands(
            args.one("REF"),
            ways,
            verify=args.maybe("--verify"),
            jobs=args.number("--jobs", 1),
            timeout=args.maybe("--timeout"),
            net=args.maybe("--net"),
            monitor=context.monitor,
        )
    look = context.look()
    context.emit(lambda: json_sandbox.board(board), lambda: sandbox.board(board, look))
    return _code(board)


def _ways(pairs: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, command = pair.partition("=")
        if not equals:
            raise BadOption("--way", f"not NAME=COMMAND: {pair!r}")
        if name in found:
            raise BadOption("--way", f"given twice: {name!r}")
        found[name] = command
    return found


def _code(board: Board) -> int:
    if board.was_interrupted:
        return ExitCode.INTERRUPTED
    if any(way.is_good for way in board.ways):
        return ExitCode.DONE
    was_checked = any(way.verdict is not None for way in board.ways)
    return ExitCode.VERIFICATION if was_checked else ExitCode.FAILED
