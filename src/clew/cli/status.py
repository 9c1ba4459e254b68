"""`clew status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command
from clew.cli.exits import ExitCode
from clew.render import changes, json

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "status",
    "Show what changed since the last checkpoint",
    "The last checkpoint is the one last saved or restored, marked ← here in `clew log`.",
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        difference = workspace.status(monitor=context.monitor)
        pending = workspace.interrupted_restore()
    look = context.look()
    context.emit(
        lambda: json.status(difference, pending), lambda: changes.with_story(difference, look)
    )
    return ExitCode.DONE
