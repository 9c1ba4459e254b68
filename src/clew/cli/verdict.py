"""`clew verdict`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import REF, Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.render import card, json

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "verdict",
    "Record by hand whether a checkpoint works",
    """\
For what no check can tell, such as how a page looks. Nothing runs; use `clew verify` to run a check.
The verdict applies to every checkpoint with the same files, is shown as `by hand`, and counts for
`clew good` like a result of the configured check; of both, the later one counts.
A new verdict replaces the previous one, and `none` removes it.""",
    (REF, Positional("STATUS", "`passing`, `failing` or `none`")),
    (Option(("--note",), "The reason", "TEXT"),),
)


def run(args: Arguments, context: CommandContext) -> int:
    note = args.maybe("--note") or ""
    with context.open() as workspace:
        checkpoint = workspace.note_verdict(
            args.one("REF"), args.one("STATUS"), note=note, monitor=context.monitor
        )
    context.say_redacted(note=note)
    look = context.look()
    context.emit(lambda: json.found(checkpoint), lambda: card.vouched(checkpoint, look))
    return ExitCode.DONE
