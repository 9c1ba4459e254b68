"""`clew gc`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option
from clew.cli.exits import ExitCode
from clew.render import irreversible, json, maintenance

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
that could not be removed is listed, with exit code 3. On a terminal, --purge asks first.""",
    (),
    (
        Option(("--purge",), "Erase every unreferenced byte"),
        Option(("-y", "--yes"), "Purge without asking"),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    purge = args.given("--purge")
    with context.open() as workspace:
        if purge and context.can_ask and not args.given("--yes"):
            for line in irreversible.purging(workspace.store.stats()):
                context.say(line)
            if not context.ask("Purge?"):
                context.say("Nothing was removed")
                return ExitCode.UNCONFIRMED
        result = workspace.store.gc(purge=purge, monitor=context.monitor)
    context.emit(lambda: json.collected(result), lambda: maintenance.collected(result))
    return ExitCode.PARTIAL if result.remaining else ExitCode.DONE
