"""List workspaces: all of a store, also those whose directory is lost."""

from __future__ import annotations

import os

from clew.errors import AmbiguousWorkspace
from clew.model.checkpoint import WorkspaceInfo
from clew.model.workspace_status import Place, WorkspaceStatus
from clew.operations.find_workspace import named_workspace
from clew.store.store import Store

_MOST_PARTS = 3
"""Parts of a path that a name has at most; a longer one is worse than an id."""


def list_workspaces(store: Store) -> list[WorkspaceStatus]:
    """Return all workspaces of a store, in the order of their paths; nothing is scanned."""
    activity = store.checkpoints.activity()
    return [_status(store, info, activity) for info in store.workspaces.all()]


def _status(
    store: Store, info: WorkspaceInfo, activity: dict[bytes, tuple[int, int]]
) -> WorkspaceStatus:
    number, last_ns = activity.get(info.uuid, (0, 0))
    newest = store.checkpoints.latest(info.uuid)
    coverage = newest.record.coverage if newest is not None else None
    fork = store.forks.get(info.uuid)
    return WorkspaceStatus(
        info,
        store.layout.root,
        _name(store, info, fork.name if fork is not None else ""),
        _place(info),
        last_ns,
        number,
        coverage.files if coverage is not None else 0,
        coverage.total_bytes if coverage is not None else 0,
        fork.name if fork is not None else "",
        store.workspaces.get(fork.source) if fork is not None else None,
    )


def _name(store: Store, info: WorkspaceInfo, fork: str) -> str:
    """Return the shortest text that names this workspace and no other."""
    parts = info.path.strip(b"/").split(b"/")
    ends = [os.fsdecode(b"/".join(parts[-number:])) for number in range(1, _MOST_PARTS + 1)]
    for text in (fork, *ends):
        try:
            if text and named_workspace(store, text).uuid == info.uuid:
                return text
        except AmbiguousWorkspace:
            continue
    return info.text_id[:8]


def _place(info: WorkspaceInfo) -> str:
    if not info.path:
        return Place.NONE
    try:
        inode = os.stat(info.path).st_ino
    except OSError:
        return Place.MISSING
    return Place.PRESENT if inode == info.inode else Place.REPLACED
