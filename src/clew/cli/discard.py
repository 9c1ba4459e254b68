"""`clew discard`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.render import forks, json_forks

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "discard",
    "Remove a fork and its history",
    """\
Files that are kept in the store go too; a directory elsewhere stays unless --files is given.
One that has changed since the checkpoint it grew from needs --yes, and so do files that no
checkpoint holds, because they are excluded or could not be read: they are listed. What is changed
while it is being removed is kept, with exit code 3.
The next `clew gc` frees the space of what nothing else needs.""",
    (Positional("FORK", "Its name, the first digits of its id, or its directory"),),
    (
        Option(
            ("-y", "--yes"), "Discard it with its changes and with files that no checkpoint holds"
        ),
        Option(("--files",), "Remove its directory too, wherever it is"),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        result = workspace.forks.discard(
            args.one("FORK"),
            files=args.given("--files"),
            force=args.given("--yes"),
            monitor=context.monitor,
        )
    context.emit(lambda: json_forks.discarded(result), lambda: forks.discarded(result))
    return ExitCode.PARTIAL if result.kept_because else ExitCode.DONE
