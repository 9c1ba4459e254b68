"""Text of task lists, and of where to resume."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.ids import short
from clew.model.task import TaskStatus, count_tasks
from clew.render import checkpoint_title, timestamps
from clew.render.safe import safe_line
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.model.checkpoint import Checkpoint
    from clew.model.session import SessionInfo
    from clew.model.session_results import Resume, TaskChange, TaskList
    from clew.model.task import Task

_MARKS = {
    TaskStatus.PENDING: ("○", ""),
    TaskStatus.IN_PROGRESS: ("▸", "cyan"),
    TaskStatus.COMPLETED: ("✔", "green"),
    TaskStatus.FAILED: ("✘", "red"),
    TaskStatus.SKIPPED: ("–", "dim"),
}


def listed(found: TaskList, look: Style) -> Iterator[str]:
    """Yield the whole list."""
    if found.tasks:
        yield f"{progress(found.tasks)}, session {called(found.session)}"
        yield from lines(found.tasks, look)


def changed(change: TaskChange, look: Style) -> Iterator[str]:
    """Yield the changed task."""
    yield _line(change.task, look, len(str(change.task.number)))


def resumed(found: Resume, look: Style) -> Iterator[str]:
    """Yield the next task, and the checkpoint to continue from."""
    if not found.tasks:
        yield f"Session {called(found.session)} has no tasks"
    elif found.task is None:
        yield f"{progress(found.tasks)}: nothing left to do in session {called(found.session)}"
    else:
        yield f"Next: task {found.task.number} of {len(found.tasks)}"
        yield from lines([found.task], look)
        after = [task for task in found.tasks if task.is_incomplete and task != found.task]
        if after:
            yield f"Open after it: {', '.join(str(task.number) for task in after)}"
    yield _continue_from(found.checkpoint, is_done=found.task is None)


def lines(tasks: Sequence[Task], look: Style) -> Iterator[str]:
    """Yield one line for each task."""
    width = max(len(str(task.number)) for task in tasks)
    for task in tasks:
        yield f"  {_line(task, look, width)}"


def progress(tasks: Sequence[Task]) -> str:
    """Return `2 of 5 tasks done, 1 failed`."""
    numbers = count_tasks(tasks)
    noun = "task" if len(tasks) == 1 else "tasks"
    text = f"{numbers[TaskStatus.COMPLETED]} of {len(tasks)} {noun} done"
    also = (TaskStatus.FAILED, TaskStatus.SKIPPED)
    return ", ".join([text, *(f"{numbers[status]} {status}" for status in also if numbers[status])])


def called(info: SessionInfo) -> str:
    """Return a session for use in a sentence: `3f2a9c10 (claude-code 2.1, run 7)`."""
    agent = " ".join(safe_line(part) for part in (info.agent, info.version) if part)
    words = ", ".join(part for part in (agent, safe_line(info.native)) if part)
    return f"{info.text_id[:8]} ({words})" if words else info.text_id[:8]


def _line(task: Task, look: Style, width: int) -> str:
    mark, colour = _MARKS.get(task.status, ("?", "yellow"))
    parts = [f"{paint(mark, colour, look)} {task.number:>{width}}  {safe_line(task.title)}"]
    if task.note:
        parts.append(f"({safe_line(task.note)})")
    if task.status == TaskStatus.IN_PROGRESS:
        parts.append(paint(f"since {timestamps.short(task.time_ns, look)}", "dim", look))
    return "  ".join(parts)


def _continue_from(checkpoint: Checkpoint | None, *, is_done: bool) -> str:
    if checkpoint is None:
        return "No checkpoint of this session yet: `clew save`"
    what = "Its newest checkpoint is" if is_done else "Continue from"
    if checkpoint.is_here:
        return f"{what} {checkpoint_title.called(checkpoint)}, where the workspace is"
    return f"{what} {checkpoint_title.called(checkpoint)}: `clew restore {short(checkpoint.id)}`"
