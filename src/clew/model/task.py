"""Tasks: what an agent has set out to do, and how far it is."""

from __future__ import annotations

from collections.abc import Iterable

from clew.model import bencode
from clew.model.bencode import bytes_of, list_of, number_of
from clew.model.named_tuple import NamedTuple


class TaskStatus:
    """How far a task is; the words of the JSON."""

    PENDING = "pending"
    IN_PROGRESS = "in-progress"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"

    ALL = (PENDING, IN_PROGRESS, COMPLETED, FAILED, SKIPPED)
    ENDED = (COMPLETED, FAILED, SKIPPED)
    INCOMPLETE = (PENDING, IN_PROGRESS)


class Task(NamedTuple):
    """One line of a task list."""

    number: int
    """Its place in the list, from 1."""
    title: str
    status: str = TaskStatus.PENDING
    note: str = ""
    """What was said when its status last changed."""
    time_ns: int = 0

    @property
    def is_incomplete(self) -> bool:
        return self.status in TaskStatus.INCOMPLETE


def count_tasks(tasks: Iterable[Task]) -> dict[str, int]:
    """Return how many tasks have each status, every status named."""
    counts = dict.fromkeys(TaskStatus.ALL, 0)
    for task in tasks:
        counts[task.status] = counts.get(task.status, 0) + 1
    return counts


def encode_tasks(tasks: Iterable[Task]) -> bytes:
    """Return a task list as a position keeps it."""
    return bencode.encode(
        [
            [task.number, _bytes(task.title), _bytes(task.status), _bytes(task.note), task.time_ns]
            for task in tasks
        ]
    )


def decode_tasks(content: bytes) -> list[Task]:
    """Return the task list that `content` encodes; ValueError where it is none."""
    try:
        return [_task(item) for item in list_of(bencode.decode(content))]
    except (TypeError, UnicodeDecodeError) as error:
        raise ValueError("Not a task list") from error


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _task(item: bencode.Value) -> Task:
    number, title, status, note, time_ns = list_of(item)
    return Task(
        number_of(number),
        bytes_of(title).decode(),
        bytes_of(status).decode(),
        bytes_of(note).decode(),
        number_of(time_ns),
    )
