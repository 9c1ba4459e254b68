"""`clew good`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command
from clew.cli.exits import ExitCode
from clew.render import card, json

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "good",
    "Name the newest checkpoint whose check passes",
    """\
If the workspace has a check of its own (`clew config set verify COMMAND`) only that one's word
counts, else the latest of any.
A check that both passed and failed there, or whose inputs changed while it ran, vouches for nothing.
`clew restore good` goes there.""",
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        found = workspace.good(monitor=context.monitor)
    look = context.look()
    context.emit(lambda: json.found(found), lambda: card.vouched(found, look))
    return ExitCode.DONE
