"""`clew` alone: an overview of the workspace, and how to start outside of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command
from clew.cli.exits import ExitCode
from clew.errors import ClewError, NotAWorkspace
from clew.filenames import as_argument
from clew.model.verdict import VerdictStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.overview import Overview
    from clew.model.setup_results import HookStatus
    from clew.workspace.protocol import WorkspaceProtocol

COMMAND = Command("", "Show where the workspace is, what changed, and what to do next")

_MOST_COMMANDS = 5
_START = (
    ('clew save "TEXT"', "save this directory; the first save makes it a workspace"),
    ("clew enable AGENT", "have an agent's work saved automatically"),
    ("clew help", "list the commands"),
)


def run(args: Arguments, context: CommandContext) -> int:
    try:
        workspace = context.open()
    except NotAWorkspace:
        return _show_start(context)
    with workspace:
        _show(workspace, context)
    return ExitCode.DONE


def _show(workspace: WorkspaceProtocol, context: CommandContext) -> None:
    """Show what is known at once, and then what a scan finds, which may take long."""
    from clew.diff.trees import count
    from clew.render import overview
    from clew.render.json_overview import overview_value

    found, hooks, look = workspace.overview(), _hooks(workspace, context), context.look()
    if not context.as_json:
        context.emit(dict, lambda: overview.known(found, hooks, look))
        context.terminal.stdout.flush()
    difference = workspace.status(monitor=context.monitor)
    counts = count(difference.changes)
    has_check = bool(workspace.settings.all().get("verify"))
    commands = commands_for(found, bool(difference.changes), has_check)

    def after_scan() -> Iterator[str]:
        yield from overview.changed(difference, counts, look)
        yield from overview.next_commands(commands, look)

    interrupted = workspace.interrupted_restore()
    context.emit(
        lambda: overview_value(found, hooks, difference, counts, interrupted, commands), after_scan
    )


def _hooks(workspace: WorkspaceProtocol, context: CommandContext) -> list[HookStatus]:
    try:
        return context.setup.hooks(as_argument(workspace.info.path))
    except (ClewError, OSError):
        return []  # `clew doctor` says what is wrong


def _show_start(context: CommandContext) -> int:
    from clew.render.json_overview import no_workspace
    from clew.render.overview import next_commands

    look = context.look()
    context.emit(
        lambda: no_workspace(_START),
        lambda: ["Not in a workspace. Start with:", *next_commands(_START, look)],
    )
    return ExitCode.DONE


def commands_for(found: Overview, is_dirty: bool, has_check: bool) -> tuple[tuple[str, str], ...]:
    """Return the commands that fit the situation, the most urgent first."""
    if found.is_restore_unfinished:
        return (
            ("clew restore --continue", "finish the interrupted restore"),
            ("clew restore --abort", "return to the state before it"),
        )
    if found.here is None:
        return (('clew save "TEXT"', "save the first checkpoint"),)
    commands = []
    if is_dirty:
        commands += [
            ("clew diff", "list what changed"),
            ('clew save "TEXT"', "keep it"),
            ("clew undo", "take it back"),
        ]
    status = found.here.verdict.status if found.here.verdict is not None else ""
    if status == VerdictStatus.FAILING and found.good is not None and not found.good.is_here:
        commands += [
            ("clew restore good --dry-run", "see what going back would change"),
            ("clew bisect", "find the checkpoint that broke it"),
        ]
    elif has_check and not status:
        commands.append(("clew verify @", "run the check on the last checkpoint"))
    commands.append(("clew log", "list the checkpoints"))
    return tuple(commands[:_MOST_COMMANDS])
