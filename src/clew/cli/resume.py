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
    "Tell where an agent would go on",
    """\
That is the first task that is not ended, and the session's newest checkpoint, with the command that
goes there.
It changes nothing.""",
    (),
    (SESSION,),
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        found = workspace.tasks.resume(session=args.maybe("--session"))
    look = context.look()
    context.emit(lambda: json_tasks.resumed(found), lambda: tasks.resumed(found, look))
    return ExitCode.DONE
