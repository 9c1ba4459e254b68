"""JSON of the restored parts: conversation, tasks, and changes of other sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render.json_values import path_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.model.parts import ConcurrentWork, RestoredParts, Resumable, WrittenConversation
    from clew.render.shapes import restore


def parts_value(found: RestoredParts) -> restore.RestoredParts:
    """Return the fields that a restore and its preview share."""
    value: restore.RestoredParts = {
        "parts": list(found.parts),
        "session": found.session and found.session.text_id,
        "warnings": list(found.warnings),
        "resumable_session": found.resumable and resumable_session_value(found.resumable),
    }
    if found.written is not None:
        value["conversation_file"] = conversation_file_value(found.written)
    return value


def concurrent_work_value(others: Sequence[ConcurrentWork]) -> list[restore.ConcurrentWork]:
    return [
        {
            "session": one.session.hex() or None,
            "agent": one.agent,
            "paths": [path_value(path) for path in one.paths],
        }
        for one in others
    ]


def resumable_session_value(found: Resumable) -> restore.ResumableSession:
    return {"name": found.session, **path_value(found.path), "command": found.command}


def conversation_file_value(found: WrittenConversation) -> restore.WrittenConversation:
    name = found.path.encode("utf-8", "surrogateescape")
    return {
        "checkpoint": found.checkpoint.hex(),
        **path_value(name),
        "conversation_bytes": found.length,
    }
