"""`clew compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Positional
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.render import compare as comparing
from clew.render import json_sandbox

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "compare",
    "Put forks or checkpoints side by side",
    """\
Each is told from the checkpoint that all of them grew from: its verdict, what happened, and which
paths it changed alone, or others too, alike or differently.
Of a fork its newest state is taken; `fork:NAME` names one whose name is also a checkpoint's.""",
    (Positional("MOMENT", "A fork, or a checkpoint as everywhere; two or more", many=True),),
)


def run(args: Arguments, context: CommandContext) -> int:
    moments = args.all("MOMENT")
    if len(moments) < 2:
        raise BadOption("MOMENT", "give two or more to be compared")
    with context.open() as workspace:
        found = workspace.forks.compare(moments, monitor=context.monitor)
    look = context.look()
    context.emit(lambda: json_sandbox.compared(found), lambda: comparing.compared(found, look))
    return ExitCode.DONE
