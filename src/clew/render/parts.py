"""Text of the restored parts: conversation, tasks, and changes of other sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.parts import RestorePart
from clew.model.task import TaskStatus
from clew.render import units
from clew.render.safe import safe_line, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.model.parts import ConcurrentWork, RestoredParts, WrittenConversation

_SHOWN = 10


def would(found: RestoredParts, look: Style) -> Iterator[str]:
    """Yield what a restore would restore with the files."""
    if RestorePart.CONVERSATION in found.moved:
        size = units.size(found.length)
        yield paint(f"  restore the conversation{_whose(found)}, {size}", "yellow", look)
    if RestorePart.TASKS in found.moved:
        yield paint(f"  restore the task list{_whose(found)}: {_tasks(found)}", "yellow", look)
    yield from _warnings(found, look)


def was(found: RestoredParts, look: Style) -> Iterator[str]:
    """Yield what was restored with the files, and how to continue."""
    if RestorePart.CONVERSATION in found.moved:
        yield f"  restored the conversation{_whose(found)}: {units.size(found.length)}"
    if RestorePart.TASKS in found.moved:
        yield f"  restored the task list{_whose(found)}: {_tasks(found)}"
    if found.resumable is not None:
        yield f"  to continue from there: {safe_line(found.resumable.command)}"
    if found.written is not None and found.written.path != "-":
        yield from written(found.written, "  ")
    yield from _warnings(found, look)


def written(found: WrittenConversation, margin: str = "") -> Iterator[str]:
    """Yield where a conversation was written to."""
    path = safe_path(found.path.encode("utf-8", "surrogateescape"))
    yield f"{margin}conversation written to {path}, {units.size(found.length)}"


def concurrent_work(found: Sequence[ConcurrentWork], verb: str, look: Style) -> Iterator[str]:
    """Yield the changes of other sessions that are reverted."""
    for one in found:
        agent = safe_line(one.agent, 40)
        who = f"by session {one.session.hex()[:8]}" if one.session else "outside any session"
        who += f" ({agent})" if agent else ""
        number = units.count(len(one.paths), "path")
        yield paint(f"  {verb} {number} changed {who}", "yellow", look)
        for path in one.paths[:_SHOWN]:
            yield f"      {safe_path(path)}"
        if len(one.paths) > _SHOWN:
            yield f"      and {len(one.paths) - _SHOWN:,} more; --json lists all"


def _warnings(found: RestoredParts, look: Style) -> Iterator[str]:
    for sentence in found.warnings:
        yield paint(f"  {safe_line(sentence)}", "yellow", look)


def _whose(found: RestoredParts) -> str:
    if found.session is None:
        return ""
    agent = safe_line(found.session.agent, 40)
    return f" of {found.session.text_id[:8]}" + (f" ({agent})" if agent else "")


def _tasks(found: RestoredParts) -> str:
    if not found.tasks:
        return "no tasks"
    done = sum(task.status == TaskStatus.COMPLETED for task in found.tasks)
    return f"{done:,} of {units.count(len(found.tasks), 'task')} done"
