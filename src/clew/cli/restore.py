"""`clew restore`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import REF, Command, Option, Positional
from clew.cli.going_back import SIDES, YES, answer, confirmation, favoured, foretell
from clew.cli.parts import answer_written, chosen_parts, write_conversation

if TYPE_CHECKING:
    from clew.cli.context import Context
    from clew.cli.parse import Arguments

COMMAND = Command(
    "restore",
    "Make the workspace exactly what it was",
    """\
What is there now is saved first, so a restore can be undone with `clew undo`.
Only what differs is touched, and what a checkpoint does not cover is left alone.
Where a session is attached and REF is of it, its conversation and its tasks come back too;
--files, --conversation and --tasks choose among the three. --conversation OUT writes what was
said to a file, `-` for standard output, and leaves the session alone.
With --keep-mine only what was saved since is taken back, and what was edited after the last
checkpoint stays; where both touch the same thing, all conflicts are listed and nothing is changed.
Before anything is overwritten you are asked; off a terminal that needs --yes.""",
    (
        REF,
        Positional("PATH", "Restore only these", required=False, many=True),
    ),
    (
        Option(("--preview",), "Show what would be done, and do nothing"),
        Option(("--files",), "Bring back the files"),
        Option(
            ("--conversation",),
            "Bring back the conversation, or write it to OUT",
            "OUT",
            optional=True,
        ),
        Option(("--tasks",), "Bring back the task list"),
        Option(("--keep-mine",), "Keep what was edited since the last checkpoint"),
        *SIDES,
        YES,
    ),
)


def run(args: Arguments, context: Context) -> int:
    ref, paths, monitor = args.one("REF"), args.all("PATH"), context.monitor
    parts, out = chosen_parts(args), args.maybe("--conversation") or ""
    keep_mine, favour = args.given("--keep-mine"), favoured(args)
    with context.open() as workspace:
        if args.given("--preview"):
            plan = workspace.preview(
                ref, paths=paths, parts=parts, keep_mine=keep_mine, favour=favour, monitor=monitor
            )
            return foretell(plan, context)
        written = write_conversation(workspace, ref, out, args, context) if out else None
        if written is not None and not parts:
            return answer_written(written, context)
        result = workspace.restore(
            ref,
            paths=paths,
            parts=parts,
            keep_mine=keep_mine,
            favour=favour,
            confirm=confirmation(args, context),
            monitor=monitor,
        )
    return answer(result._replace(brought=result.brought._replace(written=written)), context)
