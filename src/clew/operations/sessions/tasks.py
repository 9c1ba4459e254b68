"""Tasks: the list that an agent works through, and where to resume."""

from __future__ import annotations

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
    """Append a task to the list."""
    context.store.require_writable()
    text = require_title(title)
    with context.store.database.transaction():
        number = max((task.number for task in context.store.tasks.of(session.id)), default=0) + 1
        task = Task(number, text, time_ns=context.host.now_ns())
        context.store.tasks.put(session.id, task)
    return task


def require_title(title: str) -> str:
    """Return a title as stored; `BadOption` if it is empty."""
    text = label(title.strip())
    if not text:
        raise BadOption("TITLE", "a title is required")
    return text


def mark_task(
    context: Context, session: SessionInfo, number: int, status: str, note: str = ""
) -> Task:
    """Set the status of a task; a completed task stays completed, and none ends twice."""
    context.store.require_writable()
    with context.store.database.transaction():
        task = _find(context, session, number)
        ends = status in TaskStatus.ENDED
        if task.status == TaskStatus.COMPLETED or (ends and not task.is_incomplete):
            raise TaskEnded(task.number, task.title, task.status)
        marked = task._replace(status=status, note=label(note), time_ns=context.host.now_ns())
        context.store.tasks.put(session.id, marked)
    return marked


def plan_tasks(context: Context, session: SessionInfo, tasks: Sequence[tuple[str, str]]) -> None:
    """Replace the list by the agent's own; unchanged tasks keep their note and time."""
    context.store.require_writable()
    now = context.host.now_ns()
    with context.store.database.transaction():
        known = {(task.title, task.status): task for task in context.store.tasks.of(session.id)}
        wanted = [
            known.get((title, status), Task(0, title, status, time_ns=now))._replace(number=number)
            for number, (title, status) in enumerate(_sensible(tasks), 1)
        ]
        if wanted != context.store.tasks.of(session.id):
            context.store.tasks.replace(session.id, wanted)


def set_task(context: Context, session: SessionInfo, number: int, title: str, status: str) -> None:
    """Update one task from the agent's own list; a status of ours is left alone."""
    context.store.require_writable()
    with context.store.database.transaction():
        every = {task.number: task for task in context.store.tasks.of(session.id)}
        task = every.get(number, Task(number, f"task {number}"))
        changed = task._replace(
            title=require_title(title) if title.strip() else task.title,
            status=status if status in TaskStatus.ALL else task.status,
        )
        if 0 < number <= _MOST_TASKS and changed != every.get(number):
            context.store.tasks.put(session.id, changed._replace(time_ns=context.host.now_ns()))


def _sensible(tasks: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return titles and statuses as stored; entries without a title are dropped."""
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
    """Return *here* if it belongs to the session, else its newest checkpoint that is not a rescue."""
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
