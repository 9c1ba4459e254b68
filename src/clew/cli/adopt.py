"""`clew adopt`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.confirm_restore import (
    PREVIEW_ALL,
    SIDES,
    YES,
    answer,
    confirmed,
    parse_sides,
    show_preview,
)
from clew.cli.declare import DRY_RUN, Command, Positional

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "adopt",
    "Merge a fork into the workspace (three-way merge)",
    """\
Changes on one side only are taken; text files are merged by hunks. On conflicts, lists them all and
changes nothing.
Saves the current state first, so `clew undo` reverses it.
Asks like `clew restore`; without a terminal, --yes is required before anything is overwritten.""",
    (
        Positional("FORK", "Fork: name, directory or workspace id"),
        Positional("PATH", "Merge only these paths", required=False, many=True),
    ),
    (DRY_RUN, *SIDES, PREVIEW_ALL, YES),
)


def run(args: Arguments, context: CommandContext) -> int:
    fork, paths, favour = args.one("FORK"), args.all("PATH"), parse_sides(args)
    with context.open() as workspace:
        if args.given("--dry-run"):
            plan = workspace.forks.preview_adopt(
                fork, paths=paths, favour=favour, monitor=context.monitor
            )
            return show_preview(plan, context, everything=args.given("--all"))
        result = confirmed(
            lambda confirm: workspace.forks.adopt(
                fork, paths=paths, favour=favour, confirm=confirm, monitor=context.monitor
            ),
            args,
            context,
        )
    return answer(result, context)
