"""`clew prune`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option
from clew.cli.exits import ExitCode
from clew.render import json, upkeep

if TYPE_CHECKING:
    from clew.cli.context import Context
    from clew.cli.parse import Arguments

COMMAND = Command(
    "prune",
    "Remove old checkpoints that nobody named or needs",
    """\
Named and pinned checkpoints, the last one, those that undo needs, rescues of the last day and the
last passing one are always kept.""",
    (),
    (
        Option(("--keep-last",), "Keep the newest N automatic ones", "N"),
        Option(("--keep-within",), "Keep those younger than AGE, such as 7d or 12h", "AGE"),
        Option(("--max-bytes",), "Remove more until the store fits in SIZE, such as 5GB", "SIZE"),
        Option(("--dry-run",), "Show what would be removed, and remove nothing"),
    ),
)


def run(args: Arguments, context: Context) -> int:
    with context.open() as workspace:
        result = workspace.prune(
            keep_last=args.number("--keep-last"),
            keep_within=args.maybe("--keep-within"),
            max_bytes=args.maybe("--max-bytes"),
            dry_run=args.given("--dry-run"),
            monitor=context.monitor,
        )
    look = context.look()
    context.emit(lambda: json.pruned(result), lambda: upkeep.pruned(result, look))
    return ExitCode.DONE
