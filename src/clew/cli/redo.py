"""`clew redo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.confirm_restore import YES, answer, confirmed
from clew.cli.declare import Command

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command("redo", "Redo the last undo", options=(YES,))


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        result = confirmed(
            lambda confirm: workspace.redo(confirm=confirm, monitor=context.monitor), args, context
        )
    return answer(result, context)
