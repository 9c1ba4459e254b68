"""Options, confirmation and output shared by restore, undo, redo and adopt."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clew.cli.declare import Option
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.model.merge_results import OURS, THEIRS
from clew.model.restore_results import RestorePreview, RestoreResult
from clew.render import json
from clew.render import restore as restoring

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

YES = Option(("-y", "--yes"), "Overwrite without asking")

PREVIEW_ALL = Option(("--all",), "With --dry-run: list every path, generated ones too")

SIDES = (
    Option(("--theirs",), "Resolve conflicts with the incoming version"),
    Option(("--ours",), "Resolve conflicts with the version in the workspace"),
)
"""Options that resolve the conflicts of a merge."""

Act = Callable[["Confirm | None"], RestoreResult]
"""Restores, and calls the function that it is given before anything is overwritten."""
Choose = Callable[[RestorePreview], RestoreResult]
"""Lets the user choose among the paths of a preview, and restores those."""
Confirm = Callable[[RestorePreview], bool]


def confirmed(
    act: Act,
    args: Arguments,
    context: CommandContext,
    way_back: str = "undo",
    choose: Choose | None = None,
) -> RestoreResult:
    """Run `act` and return its result; ask first where `restore.ask` says so.

    `way_back` is the command that reverses it.  With `choose`, files can be chosen at the question.
    """
    if args.given("--yes"):
        return act(None)
    from clew.cli.restore_question import RestoreQuestion  # --yes does not need it

    return RestoreQuestion(context, way_back, choose).ask_and_run(act)


def parse_sides(args: Arguments) -> str | None:
    """Return the side that resolves conflicts, or None."""
    ours, theirs = args.given("--ours"), args.given("--theirs")
    if ours and theirs:
        raise BadOption("--ours", "cannot be combined with --theirs")
    return THEIRS if theirs else OURS if ours else None


def show_preview(plan: RestorePreview, context: CommandContext, *, everything: bool = False) -> int:
    """Print the preview of a restore or merge."""
    look = context.look()
    context.emit(
        lambda: json.previewed(plan),
        lambda: restoring.preview(plan, look, everything=everything),
    )
    return ExitCode.DONE


def answer(result: RestoreResult, context: CommandContext, way_back: str = "undo") -> int:
    """Print the result, and return the exit code: PARTIAL if some paths were not restored."""
    look = context.look()
    context.emit(lambda: json.restored(result), lambda: restoring.result(result, look, way_back))
    return ExitCode.PARTIAL if result.is_partial else ExitCode.DONE
