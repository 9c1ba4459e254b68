"""`clew redo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command
from clew.cli.going_back import YES, answer, confirmation

if TYPE_CHECKING:
    from clew.cli.context import Context
    from clew.cli.parse import Arguments

COMMAND = Command("redo", "Take back an undo", options=(YES,))


def run(args: Arguments, context: Context) -> int:
    with context.open() as workspace:
        confirm = confirmation(args, context)
        result = workspace.redo(confirm=confirm, monitor=context.monitor)
    return answer(result, context)
