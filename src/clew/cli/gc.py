"""`clew gc`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option
from clew.cli.exits import ExitCode
from clew.render import json, maintenance

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "gc",
    "Free the space of what no checkpoint needs",
    """\
Packs that are mostly needed stay as they are, with a few bytes that nobody needs.
With --purge they are rewritten, quarantine is emptied and every file of the store is searched, as
after `clew delete --purge`: for what was in a fork that was discarded, or in a checkpoint that was
deleted without it. What could not be removed is listed, with exit code 3.""",
    (),
    (Option(("--purge",), "Leave no byte that no checkpoint needs"),),
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        result = workspace.gc(purge=args.given("--purge"), monitor=context.monitor)
    context.emit(lambda: json.collected(result), lambda: maintenance.collected(result))
    return ExitCode.PARTIAL if result.remaining else ExitCode.DONE
