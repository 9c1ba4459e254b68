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
    "Delete a fork and its history",
    """\
A directory inside the store is deleted; one elsewhere is kept unless --files is given.
--yes is required if the fork has changed since its base checkpoint, or if its directory has files
that no checkpoint holds (excluded or unreadable); they are listed. Files that change during the
deletion are kept, with exit code 3.
The next `clew gc` frees the storage.""",
    (Positional("FORK", "Fork: name, directory, or first digits of its id"),),
    (
        Option(("-y", "--yes"), "Delete its changes and uncaptured files too"),
        Option(("--files",), "Delete its directory too, wherever it is"),
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
