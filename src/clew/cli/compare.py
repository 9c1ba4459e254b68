"""`clew compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import ALL, Command, Positional
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.render import compare as comparing
from clew.render import json_sandbox

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "compare",
    "Compare forks or checkpoints side by side",
    """\
Compares each with their common ancestor: check result, what changed, and which paths were changed by
one only, or by several, identically or differently.
A fork stands for its newest state; write `fork:NAME` if a checkpoint has the same name.""",
    (Positional("REF", "Forks or checkpoints, two or more", many=True),),
    (ALL,),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    references = args.all("REF")
    if len(references) < 2:
        raise BadOption("REF", "two or more are required")
    with context.open() as workspace:
        found = workspace.forks.compare(references, monitor=context.monitor)
    look = context.look()
    context.emit(
        lambda: json_sandbox.compared(found),
        lambda: comparing.compared(found, look, everything=args.given("--all")),
    )
    return ExitCode.DONE
