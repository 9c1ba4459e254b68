"""`clew delete`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import REFS, Command, Option
from clew.cli.exits import ExitCode
from clew.render import irreversible, json, maintenance

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "delete",
    "Delete checkpoints",
    """\
Frees the storage that only these checkpoints use. On a terminal, lists them and asks first.
--purge leaves no byte of them in the store, for instance of a leaked secret: it rewrites packs, clears
quarantine, cached copies, caches, labels and check results, and then searches every file of the
store. Other checkpoints, forks, sessions and workspace files with the same data are listed. Data that
could not be removed is listed, with exit code 3.
--purge does not reach free disk blocks, swap, filesystem snapshots or backups elsewhere: rotate a
secret that has leaked.""",
    (REFS,),
    (
        Option(("--purge",), "Erase their data from the store immediately"),
        Option(("-y", "--yes"), "Delete without asking"),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    refs, purge = args.all("REF"), args.given("--purge")
    with context.open() as workspace:
        if context.can_ask and not args.given("--yes"):
            doomed = {one.id: one for one in map(workspace.resolve, refs)}
            for line in irreversible.deleting([*doomed.values()], context.look(), purge=purge):
                context.say(line)
            if not context.ask("Delete?"):
                context.say("Nothing was deleted")
                return ExitCode.UNCONFIRMED
            refs = [identifier.hex() for identifier in doomed]  # those that were shown
        result = workspace.delete(refs, purge=purge, monitor=context.monitor)
    look = context.look()
    context.emit(lambda: json.deleted(result), lambda: maintenance.deleted(result, look))
    return ExitCode.PARTIAL if result.remaining else ExitCode.DONE
