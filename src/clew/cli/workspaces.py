"""`clew workspaces`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command
from clew.cli.exits import ExitCode
from clew.render import json_workspaces, workspaces

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "workspaces",
    "List all workspaces of the store, also lost ones",
    """\
Works in any directory. The workspace with the newest checkpoint is first; its size is that of the
files in that checkpoint. Nothing is scanned, so unsaved changes do not count.
A directory that was deleted is missing: `clew -w NAME restore @` creates it again. If it was moved,
`clew init --attach NAME` in its new place connects it.
NAME is the last part of a path (api), more of it (work/api), the name of a fork, or an id.""",
    pages=True,
)


def run(_: Arguments, context: CommandContext) -> int:
    found = context.library.workspaces(context.store)
    look = context.look()
    context.emit(lambda: json_workspaces.listed(found), lambda: workspaces.lines(found, look))
    if not found:
        context.say("No workspaces yet: run `clew save` in a project")
    return ExitCode.DONE
