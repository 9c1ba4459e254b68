"""`clew discard`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.errors import ForkHasChanges, UncapturedFiles
from clew.policy.redaction.redact import redact_words
from clew.render import forks, irreversible, json_forks
from clew.render.safe import safe

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.fork_results import DiscardResult
    from clew.workspace.protocol import WorkspaceProtocol

COMMAND = Command(
    "discard",
    "Delete a fork and its history",
    """\
A directory inside the store is deleted; one elsewhere is kept unless --files is given.
On a terminal, shows the fork and asks first. Elsewhere, --yes is required if the fork has changed since its base checkpoint, or if its directory has files
that no checkpoint holds (excluded or unreadable); they are listed. Files that change during the
deletion are kept, with exit code 3.
The next `clew gc` frees the storage.""",
    (Positional("FORK", "Fork: name, directory, or first digits of its id"),),
    (
        Option(("-y", "--yes"), "Delete without asking, its changes and uncaptured files too"),
        Option(("--files",), "Delete its directory too, wherever it is"),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        if context.can_ask and not args.given("--yes"):
            result = _asked(args, context, workspace)
            if result is None:
                context.say("Nothing was deleted")
                return ExitCode.UNCONFIRMED
        else:
            result = _discard(args, context, workspace, force=args.given("--yes"))
    context.emit(lambda: json_forks.discarded(result), lambda: forks.discarded(result))
    return ExitCode.PARTIAL if result.kept_because else ExitCode.DONE


def _asked(
    args: Arguments, context: CommandContext, workspace: WorkspaceProtocol
) -> DiscardResult | None:
    """Show the fork and ask, and once more if something would be lost; None if declined."""
    status = workspace.forks.find(args.one("FORK"))
    for line in irreversible.discarding(status, context.look(), files=args.given("--files")):
        context.say(line)
    if not context.ask("Delete?"):
        return None
    try:
        return _discard(args, context, workspace, force=False)
    except (ForkHasChanges, UncapturedFiles) as error:
        context.say(safe(redact_words(str(error))))
        if not context.ask("Delete it all the same?"):
            return None
    return _discard(args, context, workspace, force=True)


def _discard(
    args: Arguments, context: CommandContext, workspace: WorkspaceProtocol, *, force: bool
) -> DiscardResult:
    return workspace.forks.discard(
        args.one("FORK"), files=args.given("--files"), force=force, monitor=context.monitor
    )
