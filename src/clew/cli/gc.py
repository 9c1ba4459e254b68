"""`clew gc`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command
from clew.cli.exits import ExitCode
from clew.render import json, upkeep

if TYPE_CHECKING:
    from clew.cli.context import Context
    from clew.cli.parse import Arguments

COMMAND = Command("gc", "Free the space of what no checkpoint needs")


def run(args: Arguments, context: Context) -> int:
    with context.open() as workspace:
        result = workspace.gc(monitor=context.monitor)
    context.emit(lambda: json.collected(result), lambda: upkeep.collected(result))
    return ExitCode.DONE
