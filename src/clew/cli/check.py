"""`clew check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option
from clew.cli.exits import ExitCode
from clew.render import json, maintenance

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "check",
    "Tell whether the store is whole",
    """\
The index is rebuilt from the packs and compared with the one in use.
What is damaged is listed with the checkpoints that need it, and the exit code is 6.""",
    (),
    (
        Option(("--read-data",), "Also read every stored byte and compare it with its checksum"),
        Option(("--rebuild",), "Put the index that the packs give in place of a damaged one"),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    # Not through a workspace: a store whose catalogue is damaged opens none.
    result = context.library.check_store(
        context.store,
        read_data=args.given("--read-data"),
        rebuild=args.given("--rebuild"),
        monitor=context.monitor,
    )
    look = context.look()
    context.emit(lambda: json.checked(result), lambda: maintenance.checked(result, look))
    return ExitCode.DONE if result.whole else ExitCode.DAMAGED
