"""`clew prune`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option
from clew.cli.exits import ExitCode
from clew.render import json, maintenance

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.results import PruneResult

COMMAND = Command(
    "prune",
    "Thin out automatic checkpoints, or remove what is beyond a limit",
    """\
Automatic checkpoints (of hooks, adapters and steps) are thinned out by age: all of the last day
are kept, one an hour for a week, one a day for a month, one a week after that. Of those in one
hour, day or week the one with a verdict stays, else with the gravest warning, else with the most
changes, else the newest. The same runs in the background after saves.
What somebody saved, named, pinned, verified or forked from is never removed by itself, nor the
last one, what undo needs, the last good one, what a graph names, rescues younger than 30 days.
A limit removes what was saved by hand as well: --keep-last and --keep-within ask first, and off
a terminal need --yes; set with `clew config`, a limit counts as the yes and replaces thinning.
Named and pinned ones, bases of forks and what is in use stay even then.""",
    (),
    (
        Option(
            ("--keep-last",), "Keep only the newest N, 100 where only --keep-within is given", "N"
        ),
        Option(("--keep-within",), "Keep those younger than AGE as well, such as 7d or 12h", "AGE"),
        Option(
            ("--max-bytes",),
            "Remove more until the store fits in SIZE, such as 5GB, automatic ones first",
            "SIZE",
        ),
        Option(("--dry-run",), "Show what would be removed by which rule, and remove nothing"),
        Option(("-y", "--yes"), "Remove what was saved by hand without asking"),
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
    """Return what asks whoever sits at the terminal; where nobody does, the answer is no."""

    def confirm(foreseen: PruneResult) -> bool:
        if context.as_json or not context.terminal.can_ask:
            return False
        for line in maintenance.pruned(foreseen, context.look()):
            context.say(line)
        return context.ask(f"Remove them, {foreseen.made:,} of them not made automatically?")

    return confirm
