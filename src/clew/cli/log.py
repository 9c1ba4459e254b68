"""`clew log`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.render import json
from clew.render.timeline import lines as timeline

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "log",
    "List checkpoints, newest first",
    """\
The graph shows the current line of history on the left, and what a restore left behind to its right.
Markers: @ the current checkpoint, ● manual, ○ automatic, ◦ rescue (taken before a restore), ◇ fork,
× tool call of an agent that failed. A heading names a session and its prompt.
Check results: ✔ passed, ✘ failed, ~ flaky (passed and failed), ? unknown (did not finish). ✔! and ✘!
mean that files changed while the check ran, so the result does not count. The command of the check
stands above the first checkpoint that it applies to.
Consecutive automatic checkpoints of small edits are shown as one line; --all lists each.
Counts, where no story was derived: +3 added, ~2 modified, -1 deleted, →1 renamed, *4 metadata only.""",
    (Positional("PATH", "Only checkpoints that changed one of these", required=False, many=True),),
    (
        Option(("-n", "--limit"), "Show at most N checkpoints, and the current one", "N"),
        Option(("--all",), "List every checkpoint, also small automatic ones"),
        Option(("--graph",), "Draw the graph, also with filters"),
        Option(("--no-graph",), "Do not draw the graph"),
        Option(("--grep",), "Only checkpoints with TEXT in their labels or headline", "TEXT"),
        Option(("--path",), "Same as PATH", "PATH", many=True),
        Option(("--package",), "Only checkpoints that changed the package NAME", "NAME"),
        Option(("--failed",), "Only checkpoints whose check or tool call failed"),
        Option(
            ("--verdict",),
            "Only checkpoints with this result: passing, failing, unknown, flaky or none",
            "VERDICT",
        ),
        Option(("--since",), "Only checkpoints at or after TIME", "TIME"),
        Option(
            ("--session",), "Only checkpoints of one session, or `none` for those without", "ID"
        ),
    ),
)

FILTERS = ("--grep", "--verdict", "--since", "--session", "--package")


def run(args: Arguments, context: CommandContext) -> int:
    if args.given("--graph") and args.given("--no-graph"):
        raise BadOption("--graph", "cannot be combined with --no-graph")
    paths = [*args.all("PATH"), *args.all("--path")]
    is_filtered = bool(paths) or args.given("--failed") or any(map(args.maybe, FILTERS))
    with context.open() as workspace:
        log = workspace.log(
            limit=args.number("--limit", least=1),
            grep=args.maybe("--grep"),
            path=paths,
            verdict=args.maybe("--verdict"),
            since=args.maybe("--since"),
            session=args.maybe("--session"),
            package=args.maybe("--package"),
            failed=args.given("--failed"),
            tasks=context.as_json,
            branches=not context.as_json,
        )
    look = context.look()
    draws = args.given("--graph") or not (
        args.given("--no-graph") or (is_filtered and args.maybe("--since") is None)
    )
    folds = not (args.given("--all") or is_filtered)
    context.emit(
        lambda: json.timeline(log), lambda: timeline.lines(log, look, graph=draws, fold=folds)
    )
    if not log.checkpoints:
        context.say(
            "No checkpoint matches" if is_filtered else "No checkpoints yet: run `clew save`"
        )
    return ExitCode.DONE
