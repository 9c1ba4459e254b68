"""JSON of the workspaces of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.render.json_values import workspace_value
from clew.render.timestamps import rfc3339

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.model.workspace_status import WorkspaceStatus
    from clew.render.shapes import maintenance


def listed(found: Sequence[WorkspaceStatus]) -> maintenance.WorkspacesOutput:
    return {"workspaces": [_status_value(one) for one in found]}


def _status_value(one: WorkspaceStatus) -> maintenance.WorkspaceStatus:
    return {
        **workspace_value(one.info),
        "name": one.name,
        "store": one.store,
        "directory": one.place,
        "last_time": rfc3339(one.last_ns) if one.last_ns else None,
        "checkpoint_count": one.checkpoints,
        "entry_count": one.files,
        "total_bytes": one.total_bytes,
        "fork": one.fork or None,
        "source": one.source and workspace_value(one.source),
    }
