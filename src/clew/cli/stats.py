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
    """\
Shows what the store takes on disk, as `du` counts it, and by part; the size of the history, which the
setting `max-bytes` limits; and the number of checkpoints, packs and objects. The reserve is released
when the disk is full, so that a restore can still save what it overwrites.""",
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        stats = workspace.store.stats()
    context.emit(lambda: json.counted(stats), lambda: maintenance.counted(stats))
    return ExitCode.DONE
