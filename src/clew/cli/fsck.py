"""`clew fsck`, formerly `clew check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option
from clew.cli.exits import ExitCode
from clew.render import json, maintenance

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "fsck",
    "Find damage in the store, or rebuild its index",
    """\
Rebuilds the index from the packs and compares it with the current one. If the store is
damaged, lists each damage with the affected checkpoints and exits with 6.""",
    (),
    (
        Option(("--read-data",), "Also read all stored data and verify its checksums"),
        Option(("--rebuild",), "Replace a damaged index with one rebuilt from the packs"),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    # Not through a workspace: none can be opened in a store with a damaged catalogue.
    result = context.library.check_store(
        context.store,
        read_data=args.given("--read-data"),
        rebuild=args.given("--rebuild"),
        monitor=context.monitor,
    )
    look = context.look()
    context.emit(lambda: json.checked(result), lambda: maintenance.checked(result, look))
    return ExitCode.DONE if result.whole else ExitCode.DAMAGED
