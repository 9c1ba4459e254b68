"""`clew delete`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import REFS, Command, Option
from clew.cli.exits import ExitCode
from clew.render import json, maintenance

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "delete",
    "Remove checkpoints",
    """\
The space that only they take is freed.
With --purge no byte that only they held is left in the store, a leaked secret for instance: packs,
quarantine, kept copies, caches, labels and verdicts are cleared, and then every file of the store
is searched. Checkpoints, forks and sessions that hold some of it are listed, and so are files of
the workspace. What could not be removed is listed, with exit code 3.
Purging cannot reach free blocks of the disk, swap, snapshots of the filesystem or backups
elsewhere: change a secret that has leaked.""",
    (REFS,),
    (Option(("--purge",), "Remove their bytes for good, now"),),
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        result = workspace.delete(
            args.all("REF"), purge=args.given("--purge"), monitor=context.monitor
        )
    look = context.look()
    context.emit(lambda: json.deleted(result), lambda: maintenance.deleted(result, look))
    return ExitCode.PARTIAL if result.remaining else ExitCode.DONE
