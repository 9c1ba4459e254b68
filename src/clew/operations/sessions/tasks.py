"""Tasks: a list that an agent works through, and where it would go on."""

from __future__ import annotations

import time
from collections.abc import Sequence

from clew.errors import BadOption, TaskEnded, UnknownTask
from clew.model.checkpoint import Checkpoint
from clew.model.session import SessionInfo
from clew.model.session_results import Resume
from clew.model.task import Task, TaskStatus
from clew.operations.context import Context
from clew.operations.sessions.lineage import lineage_ids
from clew.operations.sessions.task_lists import with_tasks
from clew.policy.labels import label

_MOST_TASKS = 10_000


def add_task(context: Context, session: SessionInfo, title: str) -> Task:
    """Put a task at the end of the list."""
    context.store.require_writable()
    text = require_title(title)
    with context.store.database.transaction():
        number = max((task.number for task in context.store.tasks.of(session.id)), default=0) + 1
        task = Task(number, text, time_ns=time.time_ns())
        context.store.tasks.put(session.id, task)
    return task


def require_title(title: str) -> str:
    """Return a title as it is kept; `BadOption` where nothing is left of it."""
    text = label(title.strip())
    if not text:
        raise BadOption("TITLE", "a task needs a title")
    return text


def mark_task(
    context: Context, session: SessionInfo, number: int, status: str, note: str = ""
) -> Task:
    """Say how far a task is; what is completed stays so, and nothing ends twice."""
    context.store.require_writable()
    with context.store.database.transaction():
        task = _find(context, session, number)
        ends = status in TaskStatus.ENDED
        if task.status == TaskStatus.COMPLETED or (ends and not task.is_incomplete):
            raise TaskEnded(task.number, task.title, task.status)
        marked = task._replace(status=status, note=label(note), time_ns=time.time_ns())
        context.store.tasks.put(session.id, marked)
    return marked


def plan_tasks(context: Context, session: SessionInfo, tasks: Sequence[tuple[str, str]]) -> None:
    """Write the agent's own list in place of ours: what is as it was keeps its note and its time."""
    context.store.require_writable()
    now = time.time_ns()
    with context.store.database.transaction():
        known = {(task.title, task.status): task for task in context.store.tasks.of(session.id)}
        wanted = [
            known.get((title, status), Task(0, title, status, time_ns=now))._replace(number=number)
            for number, (title, status) in enumerate(_sensible(tasks), 1)
        ]
        if wanted != context.store.tasks.of(session.id):
            context.store.tasks.replace(session.id, wanted)


def set_task(context: Context, session: SessionInfo, number: int, title: str, status: str) -> None:
    """Write down what the agent's own list says of one task; a status of its own is left alone."""
    context.store.require_writable()
    with context.store.database.transaction():
        every = {task.number: task for task in context.store.tasks.of(session.id)}
        task = every.get(number, Task(number, f"task {number}"))
        changed = task._replace(
            title=require_title(title) if title.strip() else task.title,
            status=status if status in TaskStatus.ALL else task.status,
        )
        if 0 < number <= _MOST_TASKS and changed != every.get(number):
            context.store.tasks.put(session.id, changed._replace(time_ns=time.time_ns()))


def _sensible(tasks: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return titles and statuses as we keep them; what has neither is no task."""
    found = [
        (require_title(title), status if status in TaskStatus.ALL else TaskStatus.PENDING)
        for title, status in tasks
        if title.strip()
    ]
    return found[:_MOST_TASKS]


def resume(context: Context, session: SessionInfo) -> Resume:
    """Return the first incomplete task, and the checkpoint to continue from."""
    tasks = tuple(context.store.tasks.of(session.id))
    first = next((task for task in tasks if task.is_incomplete), None)
    return Resume(session, first, _newest(context, session), tasks)


def _newest(context: Context, session: SessionInfo) -> Checkpoint | None:
    """Return *here* if it is of the session, else the newest of it that is no rescue."""
    own = lineage_ids(context, session)
    here = context.here
    if here is not None and here.record.position.session in own:
        return _in_full(context, here)
    for checkpoint in context.store.checkpoints.newest_first(context.workspace):
        if checkpoint.record.position.session in own and not checkpoint.is_rescue:
            return _in_full(context, checkpoint)
    return None


def _in_full(context: Context, checkpoint: Checkpoint) -> Checkpoint:
    return with_tasks(context, context.mark_here(checkpoint))


def _find(context: Context, session: SessionInfo, number: int) -> Task:
    for task in context.store.tasks.of(session.id):
        if task.number == number:
            return task
    raise UnknownTask(str(number))
