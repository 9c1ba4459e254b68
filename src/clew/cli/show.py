"""`clew show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import REF, REVEAL, Command, Option
from clew.cli.exits import ExitCode
from clew.render import card, json

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "show",
    "Show one checkpoint in detail",
    """\
Lists what changed since the parent checkpoint, read from the two snapshots, next to the intent, and
points out changes that the intent does not mention.""",
    (REF,),
    (Option(("--paths",), "List every changed path under its summary line"), REVEAL),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        details = workspace.show(
            args.one("REF"), paths=args.given("--paths"), monitor=context.monitor
        )
    look = context.look()
    context.emit(lambda: json.shown(details), lambda: card.shown(details, look))
    return ExitCode.DONE
