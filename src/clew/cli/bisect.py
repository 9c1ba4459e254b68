"""`clew bisect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.copies import COMMAND_WORDS, NET, TIMEOUT
from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.model.sandbox_results import command_of
from clew.render import bisect as bisecting
from clew.render import json_bisect

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "bisect",
    "Find the first bad checkpoint",
    """\
CMD is run in private copies, as by `clew verify`, on ever fewer checkpoints: exit code 0 is good, 125
says that this one cannot be judged, and any other is bad.
What runs before have said is not asked again, so after an interrupt the same command goes on.
The exit code is 0 if the first bad checkpoint was found, and 1 if there is none or it cannot be told.""",
    (
        Positional(
            "GOOD",
            "Where CMD passes; by default the newest checkpoint known to pass, else the oldest",
            required=False,
        ),
        Positional("BAD", "Where CMD fails; by default `@`", required=False),
        COMMAND_WORDS,
    ),
    (
        Option(("--repeat",), "Run CMD N times on each, and believe it only if all agree", "N"),
        Option(("--serve",), "Start COMMAND in the copy first; CMD is then an address", "COMMAND"),
        TIMEOUT,
        NET,
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    words = args.all("CMD")
    with context.open() as workspace:
        found = workspace.bisect(
            args.maybe("GOOD"),
            args.maybe("BAD"),
            command=command_of(words) if words else None,
            repeat=args.number("--repeat", 1) or 1,
            timeout=args.maybe("--timeout"),
            net=args.maybe("--net"),
            serve=args.maybe("--serve"),
            monitor=context.monitor,
        )
    look = context.look()
    context.emit(lambda: json_bisect.ended(found), lambda: bisecting.ended(found, look))
    return ExitCode.DONE if found.is_found else ExitCode.FAILED
