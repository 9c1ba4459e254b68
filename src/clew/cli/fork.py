"""`clew fork`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import REF, Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.render import forks, json_forks

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "fork",
    "Grow a new workspace from a checkpoint",
    """\
Its files are exactly what REF holds, written to DIR and read back; its history goes on from there
in the same store, and nothing is stored twice.
DIR must not exist yet, or be empty; without it the files are kept in the store.
`clew adopt NAME` brings what changes in it back, `clew discard NAME` drops it.""",
    (REF, Positional("DIR", "Where its files go; by default into the store", required=False)),
    (
        Option(("--name",), "What it is called; by default as DIR is", "NAME"),
        Option(("--conversation",), "With conversation and tasks, for the agent to go on there"),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        result = workspace.forks.create(
            args.one("REF"),
            args.maybe("DIR"),
            name=args.maybe("--name"),
            conversation=args.given("--conversation"),
            monitor=context.monitor,
        )
    look = context.look()
    context.emit(lambda: json_forks.forked(result), lambda: forks.forked(result, look))
    return ExitCode.PARTIAL if result.problems else ExitCode.DONE
