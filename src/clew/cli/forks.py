"""`clew forks`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command
from clew.cli.exits import ExitCode
from clew.render import forks, json_forks

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "forks",
    "List the forks of this workspace",
    """\
Shows the check result, the changes since the fork's base checkpoint, and the directory of each fork.
Unsaved changes are not included.""",
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        found = workspace.forks.list()
    look = context.look()
    context.emit(lambda: json_forks.listed(found), lambda: forks.lines(found, look))
    return ExitCode.DONE
