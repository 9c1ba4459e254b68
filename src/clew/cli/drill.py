"""`clew drill`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.copies import ALLOW_SOCKET, NETWORK, TIMEOUT
from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.cli.verify import exit_code
from clew.errors import BadOption
from clew.render import json_sandbox, sandbox

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "drill",
    "Prove that a checkpoint can be restored",
    """\
Restores a checkpoint to a temporary copy, compares every byte and attribute with the record, and runs
its check there in a sandbox: the configured one, or the command of its last result. The workspace is
neither read nor changed. REF is by default the newest good checkpoint, or a random one if none is.
The date is recorded: `clew log`, `clew show` and `clew status` show it. If something differs, they
show that until a later drill passes.
With `clew config set drill.every 7d`, drills run in the background, at the lowest priority; of checks,
only the configured one.
Exits with 0 if the restore is proven, 4 if the check fails, 1 if its result is unknown, 6 if bytes or
attributes differ.""",
    (Positional("REF", "Checkpoint to restore (default: the newest good one)", required=False),),
    (
        Option(("--random",), "Choose a random checkpoint, preferably one never drilled"),
        Option(("--no-check",), "Compare the files only"),
        TIMEOUT,
        NETWORK,
        ALLOW_SOCKET,
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    ref, is_random = args.maybe("REF"), args.given("--random")
    if ref is not None and is_random:
        raise BadOption("--random", "takes no REF")
    with context.open() as workspace:
        result = workspace.drill(
            ref,
            random=is_random,
            check=not args.given("--no-check"),
            timeout=args.maybe("--timeout"),
            network=args.maybe("--network"),
            allow_sockets=args.all("--allow-socket"),
            monitor=context.monitor,
        )
    look = context.look()
    context.emit(lambda: json_sandbox.drilled(result), lambda: sandbox.drilled(result, look))
    if not result.drill.is_proven:
        context.say("Find the extent of the damage with `clew fsck --read-data`")
        return ExitCode.DAMAGED
    return exit_code(result.verdict) if result.verdict is not None else ExitCode.DONE
