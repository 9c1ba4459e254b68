"""`clew blame`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Positional
from clew.cli.exits import ExitCode
from clew.render import json, story

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "blame",
    "Show which checkpoints changed a file, package or service",
    """\
Lists every checkpoint that added, changed or removed SUBJECT, newest first.
If a name is ambiguous, add its scope: `apt:nginx`, `sqlite:app.db:users`.""",
    (Positional("SUBJECT", "Path, package, service, table, key or port"),),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        found = workspace.blame(args.one("SUBJECT"))
    look = context.look()
    context.emit(lambda: json.blamed(found), lambda: story.blamed(found, look))
    return ExitCode.DONE
