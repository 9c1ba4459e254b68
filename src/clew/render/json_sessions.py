"""JSON of the `session` command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.task import count_tasks
from clew.render.json_effects import effect_value
from clew.render.json_session_values import session_value, task_value
from clew.render.json_values import checkpoint_value, path_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.model.session import SessionInfo
    from clew.model.session_results import (
        Migrated,
        SessionFiles,
        SessionShown,
        SessionSummary,
    )
    from clew.render.shapes import sessions


def one(info: SessionInfo) -> sessions.SessionOutput:
    return {"session": session_value(info)}


def listed(every: Sequence[SessionSummary]) -> sessions.SessionListOutput:
    return {
        "sessions": [
            {
                **session_value(summary.info),
                "task_counts": count_tasks(summary.tasks),
                "checkpoint_count": summary.checkpoints,
            }
            for summary in every
        ]
    }


def shown(page: SessionShown) -> sessions.SessionShowOutput:
    return {
        "session": session_value(page.info),
        "tasks": [task_value(task) for task in page.tasks],
        "effects": [effect_value(effect) for effect in page.effects],
        "checkpoints": [checkpoint_value(checkpoint) for checkpoint in page.checkpoints],
        "checkpoint_count": page.checkpoint_count,
        "messages": [{"role": said.role, "text": said.text} for said in page.said],
        "pending_message_count": page.pending,
    }


def files(found: SessionFiles) -> sessions.SessionFilesOutput:
    at = found.checkpoint
    return {
        "session": session_value(found.info),
        "checkpoint": None if at is None else at.id.hex(),
        "files": [
            {
                **path_value(file.path),
                "was_read": file.read,
                "was_changed": file.changed,
                "sources": list(file.basis),
                "sequence": file.sequence,
            }
            for file in found.files
        ],
        "omitted_count": found.omitted_count,
    }


def migrated(moved: Migrated) -> sessions.SessionMigrateOutput:
    return {
        "session": session_value(moved.new),
        "from": session_value(moved.old),
        "tasks": [task_value(task) for task in moved.tasks],
        "has_converted_state": moved.converted,
    }
