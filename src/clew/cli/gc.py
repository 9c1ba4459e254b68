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
    "Free unreferenced storage (garbage collection)",
    """\
Removes data that no checkpoint references. Packs with little unreferenced data are not rewritten.
--purge rewrites them all, empties quarantine and searches every file of the store, like
`clew delete --purge`: use it after discarding a fork, or deleting a checkpoint without --purge. Data
that could not be removed is listed, with exit code 3.""",
    (),
    (Option(("--purge",), "Erase every unreferenced byte"),),
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        result = workspace.store.gc(purge=args.given("--purge"), monitor=context.monitor)
    context.emit(lambda: json.collected(result), lambda: maintenance.collected(result))
    return ExitCode.PARTIAL if result.remaining else ExitCode.DONE
