"""`clew show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import REF, Command
from clew.cli.exits import ExitCode
from clew.render import card, json

if TYPE_CHECKING:
    from clew.cli.context import Context
    from clew.cli.parse import Arguments

COMMAND = Command("show", "Show one checkpoint in full", positionals=(REF,))


def run(args: Arguments, context: Context) -> int:
    with context.open() as workspace:
        checkpoint = workspace.show(args.one("REF"))
    look = context.look()
    context.emit(lambda: json.shown(checkpoint), lambda: card.shown(checkpoint, look))
    return ExitCode.DONE
