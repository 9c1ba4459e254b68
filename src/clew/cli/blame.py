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
    "Show when something appeared or changed",
    """\
A thing is a path, or what a story tells of: a package, a service, a table, a key, a port.
Where a name could be several things, its scope says which: `apt:nginx`, `sqlite:app.db:users`.""",
    (Positional("THING", "A path, a package, a service, a table, a key or a port"),),
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        found = workspace.blame(args.one("THING"))
    look = context.look()
    context.emit(lambda: json.blamed(found), lambda: story.blamed(found, look))
    return ExitCode.DONE
