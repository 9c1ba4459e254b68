"""`clew undo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.confirm_restore import YES, answer, confirmed
from clew.cli.declare import Command, Positional

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "undo",
    "Undo the last save, restore or edits",
    """\
If there are changes since the last checkpoint, saves and reverts them; otherwise restores the
previous checkpoint. `clew redo` reverses it.""",
    (Positional("N", "Number of steps (default 1)", required=False),),
    (YES,),
)


def run(args: Arguments, context: CommandContext) -> int:
    steps = args.number("N", least=1) or 1
    way_back = "redo" if steps == 1 else ""
    with context.open() as workspace:
        result = confirmed(
            lambda confirm: workspace.undo(steps, confirm=confirm, monitor=context.monitor),
            args,
            context,
            way_back,
        )
    return answer(result, context, way_back)
