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
    "Register a directory as a workspace",
    """\
A workspace is a directory tree; its history is in the store, outside the tree.
`clew save` registers the current directory on first use. Your home directory and / must be given
explicitly.""",
    (Positional("DIR", "Root of the workspace (default: current directory)", required=False),),
    (
        Option(("--machine",), "Treat DIR as the root of a whole machine"),
        Option(("--exclude",), "Exclude files that match PATTERN", "PATTERN", many=True),
        Option(
            ("--attach",), "Bind DIR to a known workspace that was moved or cloned", "WORKSPACE"
        ),
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
        info, store = workspace.info, workspace.store.path
    what = "Created workspace" if created else "Already a workspace"
    context.emit(
        lambda: json.initialised(info, store, created),
        lambda: [f"{what}: {safe_path(info.path)}", f"Store: {safe(store)}"],
    )
    return ExitCode.DONE
