"""JSON of a session and of a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render.timestamps import rfc3339

if TYPE_CHECKING:
    from clew.model.session import SessionInfo
    from clew.model.task import Task
    from clew.render.shapes import sessions


def session_value(info: SessionInfo) -> sessions.Session:
    """Return a session, with the size of its state and not the content."""
    return {
        "id": info.text_id,
        "short_id": info.text_id[:8],
        "agent": info.agent,
        "version": info.version,
        "name": info.native,
        "format": info.format,
        "transcript": None
        if info.transcript is None
        else info.transcript.decode("utf-8", "replace"),
        "conversation_bytes": info.length,
        "state_bytes": None if info.state is None else len(info.state),
        "is_attached": info.attached,
        "started_time": rfc3339(info.started_ns),
        "last_active_time": rfc3339(info.seen_ns),
        "ended_time": rfc3339(info.ended_ns) if info.ended_ns else None,
        "parent": None if info.origin is None else info.origin.hex(),
    }


def task_value(task: Task) -> sessions.Task:
    return {
        "number": task.number,
        "title": task.title,
        "status": task.status,
        "note": task.note,
        "time": rfc3339(task.time_ns),
    }
