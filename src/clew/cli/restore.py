"""`clew restore`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import REF, Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.cli.going_back import YES, answer, confirmation
from clew.render import json, restoring

if TYPE_CHECKING:
    from clew.cli.context import Context
    from clew.cli.parse import Arguments

COMMAND = Command(
    "restore",
    "Make the workspace exactly what it was",
    """\
What is there now is saved first, so a restore can be undone with `clew undo`.
Only what differs is touched, and what a checkpoint does not cover is left alone.
Before anything is overwritten you are asked; off a terminal that needs --yes.""",
    (
        REF,
        Positional("PATH", "Restore only these", required=False, many=True),
    ),
    (Option(("--preview",), "Show what would be done, and do nothing"), YES),
)


def run(args: Arguments, context: Context) -> int:
    ref, paths = args.one("REF"), args.all("PATH")
    with context.open() as workspace:
        if not args.given("--preview"):
            confirm = confirmation(args, context)
            result = workspace.restore(ref, paths=paths, confirm=confirm, monitor=context.monitor)
            return answer(result, context)
        plan = workspace.preview(ref, paths=paths, monitor=context.monitor)
    look = context.look()
    context.emit(lambda: json.previewed(plan), lambda: restoring.preview(plan, look))
    return ExitCode.DONE
