"""`clew prune`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option
from clew.cli.exits import ExitCode
from clew.render import json, maintenance, units

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.results import PruneResult

COMMAND = Command(
    "prune",
    "Remove checkpoints by retention rules",
    """\
By default, thins out automatic checkpoints (from hooks, adapters and steps) by age: keeps all of the
last day, one per hour for a week, one per day for 30 days, and one per week after that. Of each hour,
day or week it keeps the one with a check result, else the most severe warning, else the most changes,
else the newest. The same runs in the background after saves.
Thinning never removes checkpoints that are manual, named, pinned or verified, the base of a fork, the
last one, the last good one, steps of undo, checkpoints of a graph, or rescues younger than 30 days.
--keep-last and --keep-within also remove manual checkpoints, after confirmation; without a terminal,
--yes is required. As settings (`clew config`) they need no confirmation and replace thinning. Named
and pinned checkpoints, bases of forks and checkpoints in use are always kept.""",
    (),
    (
        Option(
            ("--keep-last",), "Keep the newest N checkpoints (default with --keep-within: 100)", "N"
        ),
        Option(
            ("--keep-within",), "Also keep checkpoints younger than AGE, such as 7d or 12h", "AGE"
        ),
        Option(
            ("--max-bytes",),
            "Remove more until the store fits in SIZE, such as 5GB; automatic ones first",
            "SIZE",
        ),
        Option(
            ("-n", "--dry-run"),
            "Show what each rule would remove, without removing it",
            hidden=("--preview",),
        ),
        Option(("-y", "--yes"), "Remove manual checkpoints without asking"),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        result = workspace.prune(
            keep_last=args.number("--keep-last"),
            keep_within=args.maybe("--keep-within"),
            max_bytes=args.maybe("--max-bytes"),
            dry_run=args.given("--dry-run"),
            confirm=None if args.given("--yes") else _confirmation(context),
            monitor=context.monitor,
        )
    look = context.look()
    context.emit(lambda: json.pruned(result), lambda: maintenance.pruned(result, look))
    return ExitCode.DONE


def _confirmation(context: CommandContext) -> Callable[[PruneResult], bool]:
    """Return the function that asks for confirmation; without a terminal it declines."""

    def confirm(foreseen: PruneResult) -> bool:
        if context.as_json or not context.terminal.can_ask:
            return False
        for line in maintenance.pruned(foreseen, context.look()):
            context.say(line)
        return context.ask(
            f"Remove them, including {units.count(foreseen.made, 'manual checkpoint')}?"
        )

    return confirm
