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
    "Create a workspace from a checkpoint",
    """\
Writes the files of REF to DIR and verifies them. The fork has its own history in the same store and
shares all data with this workspace (deduplication). Files that name the path of this workspace, as in a
virtual environment, are listed: run programs in the fork with `clew enter NAME`.
A fork of `clew try` has no directory; give it one with `clew fork fork:NAME DIR`.
Merge its changes with `clew adopt NAME`; delete it with `clew discard NAME`.""",
    (
        REF,
        Positional(
            "DIR",
            "New or empty directory for its files (default: inside the store)",
            required=False,
        ),
    ),
    (
        Option(("--name",), "Name of the fork (default: name of DIR)", "NAME"),
        Option(
            ("--conversation",), "Copy conversation and tasks, so that the agent can resume there"
        ),
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
