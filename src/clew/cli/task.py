"""`clew task`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli import suggestions
from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.cli.sessions import SESSION
from clew.errors import BadOption
from clew.model.task import TaskStatus
from clew.render import json_tasks, tasks

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.session_results import TaskChange
    from clew.workspace.protocol import WorkspaceProtocol

COMMAND = Command(
    "task",
    "Manage the task list of a session",
    """\
`clew task add TITLE` appends a task, and starts a session if none is attached.
`clew task start N`, `done N`, `fail N` and `skip N` set the status of task N.
`clew task list`, or `clew task` alone, lists the tasks: ○ pending, ▸ in progress, ✔ completed,
✘ failed, – skipped.
Checkpoints record the list, and a restore restores it. `clew resume` shows the next task.""",
    (
        Positional("ACTION", "`add`, `start`, `done`, `fail`, `skip` or `list`", required=False),
        Positional("TASK", "Title of a new task, or number of an existing one", required=False),
    ),
    (
        Option(("--note",), "Note on the task", "TEXT"),
        SESSION,
    ),
    pages=True,
)

_MARKS = {
    "start": TaskStatus.IN_PROGRESS,
    "done": TaskStatus.COMPLETED,
    "fail": TaskStatus.FAILED,
    "skip": TaskStatus.SKIPPED,
}
_ACTIONS = ("add", *_MARKS, "list")


def run(args: Arguments, context: CommandContext) -> int:
    action = _checked_action(args)
    look = context.look()
    if action == "list":
        with context.open() as workspace:
            listed = workspace.tasks.list(session=args.maybe("--session"))
        context.emit(lambda: json_tasks.listed(listed), lambda: tasks.listed(listed, look))
        if not listed.tasks:
            context.say("No tasks yet: run `clew task add TITLE`")
        return ExitCode.DONE
    number = args.number("TASK", least=1) if action in _MARKS else None
    with context.open() as workspace:
        change = _changed(action, number, args, workspace)
    if change.is_new_session:
        context.say(f"Started session: {change.session.text_id[:8]}")
    context.say_redacted(title=args.maybe("TASK"), note=args.maybe("--note"))
    context.emit(lambda: json_tasks.changed(change), lambda: tasks.changed(change, look))
    return ExitCode.DONE


def _checked_action(args: Arguments) -> str:
    action = args.maybe("ACTION") or "list"
    if action not in _ACTIONS:
        raise suggestions.unknown_action(action, _ACTIONS, "task")
    if action == "list" and args.maybe("TASK") is not None:
        raise suggestions.unexpected_argument(args.one("TASK"), COMMAND)
    if action != "list" and args.maybe("TASK") is None:
        raise suggestions.missing_argument("TASK", "task")
    if action not in _MARKS and args.maybe("--note") is not None:
        raise BadOption("--note", f"does not apply to `clew task {action}`")
    return action


def _changed(
    action: str, number: int | None, args: Arguments, workspace: WorkspaceProtocol
) -> TaskChange:
    session = args.maybe("--session")
    if number is None:
        return workspace.tasks.add(args.one("TASK"), session=session)
    note = args.maybe("--note") or ""
    return workspace.tasks.mark(number, _MARKS[action], note=note, session=session)
