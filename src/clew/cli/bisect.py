"""`clew bisect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.copies import ALLOW_SOCKET, COMMAND_WORDS, NETWORK, TIMEOUT, where_started
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
    "Find the first bad checkpoint by binary search",
    """\
Runs CMD in sandboxed copies, like `clew verify`: exit code 0 means good, 125 means skip this
checkpoint, anything else means bad.
Results are stored, so the same command continues after an interruption. The search stops if the
sandbox makes CMD fail.
Exits with 0 if the first bad checkpoint was found, with 1 if there is none or it is ambiguous.""",
    (
        Positional(
            "GOOD",
            "Checkpoint where CMD passes (default: newest known to pass, else the oldest)",
            required=False,
        ),
        Positional("BAD", "Checkpoint where CMD fails (default: `@`)", required=False),
        COMMAND_WORDS,
    ),
    (
        Option(
            ("--repeat",), "Run CMD N times on each checkpoint; mixed results count as flaky", "N"
        ),
        Option(
            ("--serve",),
            "Start this server in the copy first; CMD is then a URL to probe",
            "COMMAND",
        ),
        TIMEOUT,
        NETWORK,
        ALLOW_SOCKET,
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    words = args.all("CMD")
    with context.open() as workspace:
        found = workspace.bisect(
            args.maybe("GOOD"),
            args.maybe("BAD"),
            command=where_started(command_of(words), workspace, context) if words else None,
            repeat=args.number("--repeat", 1) or 1,
            timeout=args.maybe("--timeout"),
            network=args.maybe("--network"),
            allow_sockets=args.all("--allow-socket"),
            serve=args.maybe("--serve"),
            monitor=context.monitor,
        )
    look = context.look()
    context.emit(lambda: json_bisect.ended(found), lambda: bisecting.ended(found, look))
    return ExitCode.DONE if found.is_found else ExitCode.FAILED
