"""`clew resume`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command
from clew.cli.exits import ExitCode
from clew.cli.sessions import SESSION
from clew.render import json_tasks, tasks

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "resume",
    "Show where an agent can resume its work",
    """\
Prints the first unfinished task, the session's newest checkpoint, and the command that restores it.
Changes nothing.""",
    (),
    (SESSION,),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        found = workspace.tasks.resume(session=args.maybe("--session"))
    look = context.look()
    context.emit(lambda: json_tasks.resumed(found), lambda: tasks.resumed(found, look))
    return ExitCode.DONE
