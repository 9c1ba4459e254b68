"""`clew brief`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Positional
from clew.cli.exits import ExitCode
from clew.render import brief as rendered

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "brief",
    "Print the briefing for an agent after a restore",
    """\
Describes what was restored, what was reverted, which external actions remain done and must not be
repeated, and which tasks are open.
With REF, prints the briefing for a restore to that checkpoint.""",
    (Positional("REF", "Checkpoint (default: the current one)", required=False),),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        brief = workspace.sessions.brief(args.maybe("REF"))
    look = context.look()
    context.emit(lambda: rendered.value(brief, look), lambda: rendered.lines(brief, look))
    return ExitCode.DONE
