"""`clew show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import REF, REVEAL, Command, Option, Positional
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
points out changes that the intent does not mention. Then come the verdict, labels and gaps.
--verbose adds ids, coverage, consistency and the position of the session.
--paths folds generated directories, see `clew status --help`.""",
    (Positional("REF", REF.description + " (default: `@`)", required=False),),
    (
        Option(("-v", "--verbose"), "Show ids, coverage, consistency and position too"),
        Option(("--paths",), "List the changed paths under each summary line"),
        Option(("--all",), "With --paths: list every path, generated ones too"),
        REVEAL,
    ),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    given = args.maybe("REF")
    with context.open() as workspace:
        details = workspace.show(
            "@" if given is None else given, paths=args.given("--paths"), monitor=context.monitor
        )
    look = context.look()
    context.emit(
        lambda: json.shown(details),
        lambda: card.shown(
            details, look, verbose=args.given("--verbose"), everything=args.given("--all")
        ),
    )
    return ExitCode.DONE
