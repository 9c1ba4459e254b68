"""`clew init`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.render import json
from clew.render.safe import safe, safe_path

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "init",
    "Make a directory a workspace",
    """\
Everything below the directory belongs to the workspace; its history is kept in the store.
Without DIR it is the current directory, but never your home directory or /: name those.
`clew save` does this by itself on first use.""",
    (Positional("DIR", "The directory; by default the current one", required=False),),
    (
        Option(("--machine",), "Take DIR as the root of a whole machine"),
        Option(("--exclude",), "Leave out what matches PATTERN", "PATTERN", many=True),
        Option(("--attach",), "DIR is this known workspace, moved or cloned", "WORKSPACE"),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    workspace, created = context.library.init(
        args.maybe("DIR") or context.directory,
        context.store,
        machine=args.given("--machine"),
        exclude=args.all("--exclude"),
        attach=args.maybe("--attach"),
    )
    with workspace:
        info, store = workspace.info, workspace.store_path
    what = "Now a workspace" if created else "Already a workspace"
    context.emit(
        lambda: json.initialised(info, store, created),
        lambda: [f"{what}: {safe_path(info.path)}", f"Its history is kept in {safe(store)}"],
    )
    return ExitCode.DONE
