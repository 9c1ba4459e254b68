"""`clew enter`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Positional
from clew.cli.exits import ExitCode
from clew.model.sandbox_results import command_of

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "enter",
    "Run a shell or a command that sees a fork at the workspace's path",
    """\
Mounts the directory of FORK over the workspace, for this shell or command only: what it writes there is
in the fork, also through the absolute paths in a virtual environment or a build directory. `clew` in it
works on the fork, and $CLEW_FORK is its name. Other processes see no difference.
Nothing else is isolated. An ordinary user needs user namespaces, and cannot use sudo inside.
Exits with the exit code of the shell or CMD, 127 if it could not be started.""",
    (
        Positional(
            "FORK",
            "Fork: name, directory, or first digits of its id (default: the fork of this directory)",
            required=False,
        ),
        Positional(
            "CMD",
            "One shell command line, or a command and its arguments (default: $SHELL)",
            required=False,
            many=True,
            after_dashes=True,
        ),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    words = args.all("CMD")
    with context.open() as workspace:
        context.terminal.stdout.flush()
        workspace.forks.enter(
            args.maybe("FORK"),
            command_of(words) if words else None,
            directory=context.directory or ".",
            monitor=context.monitor,
        )
    return ExitCode.DONE  # not reached: this process has become the command
