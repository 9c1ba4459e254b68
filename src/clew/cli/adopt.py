"""`clew adopt`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.confirm_restore import SIDES, YES, answer, confirmation, favoured, foretell
from clew.cli.declare import Command, Option, Positional

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "adopt",
    "Bring what a fork changed into the workspace",
    """\
What only one side changed since they parted is taken, and text is merged by hunks.
Where both changed the same thing, all conflicts are listed and nothing is changed.
What is there now is saved first, so an adopt can be undone with `clew undo`.
Before anything is overwritten you are asked; off a terminal that needs --yes.""",
    (
        Positional("FORK", "A fork: its name, its directory, or the id of its workspace"),
        Positional("PATH", "Take only what changed here", required=False, many=True),
    ),
    (Option(("--preview",), "Show what would be done, and do nothing"), *SIDES, YES),
)


def run(args: Arguments, context: CommandContext) -> int:
    fork, paths, favour = args.one("FORK"), args.all("PATH"), favoured(args)
    with context.open() as workspace:
        if args.given("--preview"):
            plan = workspace.forks.preview_adopt(
                fork, paths=paths, favour=favour, monitor=context.monitor
            )
            return foretell(plan, context)
        result = workspace.forks.adopt(
            fork,
            paths=paths,
            favour=favour,
            confirm=confirmation(args, context),
            monitor=context.monitor,
        )
    return answer(result, context)
