"""A path that an agent touched, as rows keep it."""

from __future__ import annotations

import os

from clew.errors import OutsideWorkspace
from clew.filenames import absolute_path
from clew.model.checkpoint import WorkspaceInfo
from clew.operations.find import relative_path


def touched_path(info: WorkspaceInfo, path: str) -> bytes:
    """Return a path as rows keep it: relative inside the workspace, absolute elsewhere."""
    try:
        return relative_path(info, path)
    except OutsideWorkspace:
        return absolute_path(os.fsencode(path))
