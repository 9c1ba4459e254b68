"""What restore, undo and redo share: a yes before anything is overwritten, and the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clew.cli.declare import Option
from clew.cli.exits import ExitCode
from clew.model.restoring import RestorePreview, RestoreResult
from clew.render import json, restoring

if TYPE_CHECKING:
    from clew.cli.context import Context
    from clew.cli.parse import Arguments

YES = Option(("-y", "--yes"), "Overwrite without asking")

Confirm = Callable[[RestorePreview], bool]


def confirmation(args: Arguments, context: Context) -> Confirm | None:
    """Return whom to ask before overwriting, or None if the yes was given in advance."""
    if args.given("--yes"):
        return None
    return lambda preview: _ask(preview, context)


def answer(result: RestoreResult, context: Context, way_back: str = "undo") -> int:
    """Show what was done; a restore that did not do all of it says so in its exit code too."""
    look = context.look()
    context.emit(lambda: json.restored(result), lambda: restoring.result(result, look, way_back))
    return ExitCode.PARTIAL if result.is_partial else ExitCode.DONE


def _ask(preview: RestorePreview, context: Context) -> bool:
    if context.as_json or not context.terminal.can_ask:
        return False
    look = context.look()
    for line in restoring.preview(preview, look):
        context.say(line)
    context.terminal.stderr.write("Go ahead? [y/N] ")
    context.terminal.stderr.flush()
    context.was_asked = True
    return context.terminal.stdin.readline().strip().lower() in ("y", "yes")
