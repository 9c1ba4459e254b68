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
    "Write the message that an agent needs after a restore",
    """\
What is true again, what is not any more, which acts outside still stand and must not be repeated,
and which tasks are open.
With REF: what it would be after a restore of that checkpoint.""",
    (Positional("REF", "A checkpoint; by default where the workspace is", required=False),),
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        brief = workspace.sessions.brief(args.maybe("REF"))
    look = context.look()
    context.emit(lambda: rendered.value(brief, look), lambda: rendered.lines(brief, look))
    return ExitCode.DONE
