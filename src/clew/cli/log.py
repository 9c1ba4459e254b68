"""`clew log`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option
from clew.cli.exits import ExitCode
from clew.render import json, timeline

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "log",
    "Show the timeline, newest first",
    """\
● is a checkpoint that somebody asked for, ○ an automatic one, │ a rescue taken before a restore.
✔ and ✘ say whether its check passed, and when if that was not right after the save.
~ passed and failed by turns, ? did not come to an end, and the ! of ✔! and ✘! says that files
changed while it ran, so its word does not count.
+3 ~2 -1 →1 *4 count the paths that were added, modified, deleted, renamed, or had only their metadata
changed.
Where more than one session, or an agent and a person, were at work, a column says who.""",
    (),
    (
        Option(("-n", "--limit"), "Show at most N", "N"),
        Option(("--grep",), "Only those whose labels contain TEXT", "TEXT"),
        Option(("--path",), "Only those that changed PATH", "PATH"),
        Option(
            ("--verdict",),
            "Only those that are passing, failing, unknown, flaky or none",
            "VERDICT",
        ),
        Option(("--since",), "Only those at or after TIME", "TIME"),
        Option(("--session",), "Only those of one session, or `none` for nobody's", "ID"),
    ),
)

FILTERS = ("--grep", "--path", "--verdict", "--since", "--session")


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        log = workspace.log(
            limit=args.number("--limit", least=1),
            grep=args.maybe("--grep"),
            path=args.maybe("--path"),
            verdict=args.maybe("--verdict"),
            since=args.maybe("--since"),
            session=args.maybe("--session"),
            tasks=context.as_json,
        )
    look = context.look()
    context.emit(lambda: json.timeline(log), lambda: timeline.lines(log, look))
    if not log.checkpoints:
        is_filtered = any(args.maybe(option) is not None for option in FILTERS)
        context.say("No checkpoint matches" if is_filtered else "Nothing saved yet: `clew save`")
    return ExitCode.DONE
