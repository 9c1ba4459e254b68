"""Tasks: an agent's task list and its progress."""

from __future__ import annotations

from collections.abc import Iterable

from clew.model import bencode
from clew.model.bencode import bytes_of, list_of, number_of
from clew.model.named_tuple import NamedTuple


class TaskStatus:
    """The status of a task; values of the JSON."""

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
    """Its position in the list, from 1."""
    title: str
    status: str = TaskStatus.PENDING
    note: str = ""
    """The note of its last status change."""
    time_ns: int = 0

    @property
    def is_incomplete(self) -> bool:
        return self.status in TaskStatus.INCOMPLETE


def count_tasks(tasks: Iterable[Task]) -> dict[str, int]:
    """Return the number of tasks by status, with every status present."""
    counts = dict.fromkeys(TaskStatus.ALL, 0)
    for task in tasks:
        counts[task.status] = counts.get(task.status, 0) + 1
    return counts


def encode_tasks(tasks: Iterable[Task]) -> bytes:
    """Encode a task list for a position."""
    return bencode.encode(
        [
            [task.number, _bytes(task.title), _bytes(task.status), _bytes(task.note), task.time_ns]
            for task in tasks
        ]
    )


def decode_tasks(content: bytes) -> list[Task]:
    """Decode a task list; raise ValueError if it is invalid."""
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
