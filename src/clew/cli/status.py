"""`clew status`."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from clew.cli.declare import REVEAL, Command
from clew.cli.exits import ExitCode
from clew.render import changes, drill, json

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "status",
    "Show what changed since the last checkpoint",
    """\
The last checkpoint is the one last saved or restored, marked ← here in `clew log`.
The last restore drill (`clew drill`) is shown at the end.""",
    options=(REVEAL,),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        difference = workspace.status(monitor=context.monitor)
        pending = workspace.interrupted_restore()
        drilled = workspace.last_drill()
    look = context.look()
    context.emit(
        lambda: json.status(difference, pending, drilled),
        lambda: chain(changes.with_story(difference, look), drill.last(drilled, look)),
    )
    return ExitCode.DONE
