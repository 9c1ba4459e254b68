"""JSON of forks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render.json_parts import resumable_session_value
from clew.render.json_values import (
    checkpoint_value,
    path_value,
    reason_value,
    workspace_value,
)
from clew.render.timestamps import rfc3339

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.model.checkpoint import ForkInfo, WorkspaceInfo
    from clew.model.fork_results import DiscardResult, ForkResult, ForkStatus, PathReferences
    from clew.render.shapes import forks


def forked(result: ForkResult) -> forks.ForkOutput:
    return {
        "fork": _fork_value(result.fork, result.workspace),
        "checkpoint": checkpoint_value(result.checkpoint),
        "problems": [reason_value(item) for item in result.problems],
        "duration_ms": result.duration_ns // 1_000_000,
        "session": result.session and result.session.text_id,
        "resumable_session": result.resumable and resumable_session_value(result.resumable),
        "path_references": _references_value(result.references),
    }


def listed(found: Sequence[ForkStatus]) -> forks.ForksOutput:
    return {"forks": [_status_value(status) for status in found]}


def discarded(result: DiscardResult) -> forks.DiscardOutput:
    return {
        "fork": _fork_value(result.fork, result.workspace),
        "checkpoint_count": result.checkpoints,
        "was_removed": result.removed,
        "kept_reason": result.kept_because or None,
        "unsaved_files": {
            "file_count": result.lost.files,
            "total_bytes": result.lost.total_bytes,
            "paths": [path_value(path) for path in result.lost.paths],
        },
    }


def _references_value(found: PathReferences) -> forks.PathReferences:
    return {
        **path_value(found.original, "original_path"),
        "groups": [
            {
                **path_value(group.directory),
                "file_count": group.files,
                "paths": [path_value(path) for path in group.paths],
            }
            for group in found.groups
        ],
        "git_links": [
            {**path_value(link.path), **path_value(link.target, "target")}
            for link in found.git_links
        ],
    }


def _fork_value(fork: ForkInfo, info: WorkspaceInfo) -> forks.Fork:
    return {
        "name": fork.name,
        "base": fork.base.hex(),
        "is_in_store": fork.managed,
        "created_time": rfc3339(fork.created_ns),
        "workspace": workspace_value(info),
    }


def _status_value(status: ForkStatus) -> forks.ListedFork:
    here = status.here
    return {
        **_fork_value(status.fork, status.workspace),
        "directory": status.directory,
        "is_changed": status.is_changed,
        "checkpoint": None if here is None else checkpoint_value(here),
    }
