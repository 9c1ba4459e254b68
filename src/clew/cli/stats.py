"""`clew stats`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command
from clew.cli.exits import ExitCode
from clew.render import json, maintenance

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "stats",
    "Show the size of the store",
    "Shows the size on disk and before compression, and the number of checkpoints, packs and objects.",
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        stats = workspace.store.stats()
    context.emit(lambda: json.counted(stats), lambda: maintenance.counted(stats))
    return ExitCode.DONE
