"""What restore, undo, redo and adopt share: a yes before anything is overwritten, and the answer."""

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

SIDES = (
    Option(("--theirs",), "Where both changed the same thing, take what comes in"),
    Option(("--ours",), "Where both changed the same thing, keep what is here"),
)
"""What decides the conflicts of a merge."""

Confirm = Callable[[RestorePreview], bool]


def confirmation(args: Arguments, context: CommandContext) -> Confirm | None:
    """Return whom to ask before overwriting, or None if the yes was given in advance."""
    if args.given("--yes"):
        return None
    return lambda preview: _ask(preview, context)


def favoured(args: Arguments) -> str | None:
    """Return the side that decides conflicts, if one was named."""
    ours, theirs = args.given("--ours"), args.given("--theirs")
    if ours and theirs:
        raise BadOption("--ours", "cannot be given together with --theirs")
    return THEIRS if theirs else OURS if ours else None


def foretell(plan: RestorePreview, context: CommandContext) -> int:
    """Show what would be done."""
    look = context.look()
    context.emit(lambda: json.previewed(plan), lambda: restoring.preview(plan, look))
    return ExitCode.DONE


def answer(result: RestoreResult, context: CommandContext, way_back: str = "undo") -> int:
    """Show what was done; a restore that did not do all of it says so in its exit code too."""
    look = context.look()
    context.emit(lambda: json.restored(result), lambda: restoring.result(result, look, way_back))
    return ExitCode.PARTIAL if result.is_partial else ExitCode.DONE


def _ask(preview: RestorePreview, context: CommandContext) -> bool:
    if context.as_json or not context.terminal.can_ask:
        return False
    look = context.look()
    for line in restoring.preview(preview, look):
        context.say(line)
    context.terminal.stderr.write("Go ahead? [y/N] ")
    context.terminal.stderr.flush()
    context.was_asked = True
    return context.terminal.stdin.readline().strip().lower() in ("y", "yes")
