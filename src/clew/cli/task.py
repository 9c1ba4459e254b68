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
    from clew.workspace import Workspace

COMMAND = Command(
    "task",
    "Keep the task list of a session",
    """\
`clew task add TITLE` puts a task at the end of the list; where no session is attached, one is begun.
`clew task start N`, `done N`, `fail N` and `skip N` say how far the task with that number is.
`clew task list`, or `clew task` alone, shows them: ○ pending, ▸ in progress, ✔ completed, ✘ failed,
– skipped.
Each checkpoint keeps the list as it stood, and a restore brings it back.
`clew resume` says where to go on.""",
    (
        Positional("ACTION", "`add`, `start`, `done`, `fail`, `skip` or `list`", required=False),
        Positional("TASK", "The title of a new task, else a number", required=False),
    ),
    (
        Option(("--note",), "What is to be said about it", "TEXT"),
        SESSION,
    ),
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
            context.say("No tasks yet: `clew task add TITLE`")
        return ExitCode.DONE
    number = args.number("TASK", least=1) if action in _MARKS else None
    with context.open() as workspace:
        change = _changed(action, number, args, workspace)
    if change.began:
        context.say(f"No session was attached, so one was begun: {change.session.text_id[:8]}")
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
        raise BadOption("--note", f"says nothing to `clew task {action}`")
    return action


def _changed(action: str, number: int | None, args: Arguments, workspace: Workspace) -> TaskChange:
    session = args.maybe("--session")
    if number is None:
        return workspace.tasks.add(args.one("TASK"), session=session)
    note = args.maybe("--note") or ""
    return workspace.tasks.mark(number, _MARKS[action], note=note, session=session)
