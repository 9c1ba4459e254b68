"""`clew restore`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.confirm_restore import SIDES, YES, answer, confirmation, favoured, foretell
from clew.cli.declare import REF, Command, Option, Positional
from clew.cli.parts import answer_written, chosen_parts, write_conversation
from clew.errors import BadOption

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
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
Before anything is overwritten you are asked; off a terminal that needs --yes.

A restore that was interrupted (Ctrl-C, a crash, a power cut) is reported by every command.
--continue finishes it, --abort returns the workspace to what it was before; the next command
that writes continues it. What you changed since then stays as it is and is listed, exit code 3.""",
    (
        REF,
        Positional("PATH", "Restore only these", required=False, many=True),
    ),
    (
        Option(("--preview",), "Show what would be done, and do nothing"),
        Option(("--continue",), "Finish a restore that was interrupted", alone=True),
        Option(("--abort",), "Take back a restore that was interrupted", alone=True),
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


def run(args: Arguments, context: CommandContext) -> int:
    if args.given("--continue") or args.given("--abort"):
        return _resume(args, context)
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


def _resume(args: Arguments, context: CommandContext) -> int:
    """Continue or abort an interrupted restore, which knows its own checkpoint and paths."""
    is_abort = args.given("--abort")
    option = "--abort" if is_abort else "--continue"
    if args.maybe("REF") is not None:
        raise BadOption(option, "takes no REF: it is about the restore that was interrupted")
    for other in _ALONE:
        if other != option and args.given(other):
            raise BadOption(option, f"cannot be given together with {other}")
    with context.open() as workspace:
        act = workspace.abort_restore if is_abort else workspace.continue_restore
        result = act(monitor=context.monitor)
    return answer(result, context)


_ALONE = (
    "--continue",
    "--abort",
    "--preview",
    "--files",
    "--conversation",
    "--tasks",
    "--keep-mine",
)
