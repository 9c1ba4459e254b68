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
    "List checkpoints, newest first",
    """\
Markers: ● manual checkpoint, ○ automatic, │ rescue (taken before a restore).
Check results: ✔ passed, ✘ failed, ~ flaky (passed and failed), ? unknown (did not finish). ✔! and ✘!
mean that files changed while the check ran, so the result does not count. A time after the result
means that the check ran later than the save.
Counts: +3 added, ~2 modified, -1 deleted, →1 renamed, *4 metadata only.
If several sessions, or an agent and a person, made checkpoints, a column shows who.""",
    (),
    (
        Option(("-n", "--limit"), "Show at most N checkpoints", "N"),
        Option(("--grep",), "Only checkpoints with TEXT in their labels", "TEXT"),
        Option(("--path",), "Only checkpoints that changed PATH", "PATH"),
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
    pages=True,
)

FILTERS = ("--grep", "--path", "--verdict", "--since", "--session")


def run(args: Arguments, context: CommandContext) -> int:
    limit = args.number("--limit", least=1)
    preferred = 0 if limit or context.as_json else int(context.user["log.limit"])
    with context.open() as workspace:
        log = workspace.log(
            limit=limit or preferred or None,
            grep=args.maybe("--grep"),
            path=args.maybe("--path"),
            verdict=args.maybe("--verdict"),
            since=args.maybe("--since"),
            session=args.maybe("--session"),
            tasks=context.as_json,
        )
    look = context.look()
    context.emit(lambda: json.timeline(log), lambda: timeline.lines(log, look))
    if preferred and len(log.checkpoints) == preferred:
        context.say(f"The newest {preferred} (setting log.limit): `clew log -n N` shows more")
    if not log.checkpoints:
        is_filtered = any(args.maybe(option) is not None for option in FILTERS)
        context.say(
            "No checkpoint matches" if is_filtered else "No checkpoints yet: run `clew save`"
        )
    return ExitCode.DONE
