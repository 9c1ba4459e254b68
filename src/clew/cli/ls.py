"""`clew ls`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import REF, REVEAL, Command, Positional
from clew.cli.exits import ExitCode
from clew.render import entries, json

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "ls",
    "List a directory in a checkpoint",
    positionals=(
        REF,
        Positional("PATH", "Directory (default: root of the workspace)", required=False),
    ),
    options=(REVEAL,),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        listing = workspace.ls(args.one("REF"), args.maybe("PATH"), monitor=context.monitor)
    look = context.look()
    context.emit(lambda: json.listed(listing), lambda: entries.lines(listing, look))
    return ExitCode.DONE
