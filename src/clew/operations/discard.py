"""Discard: a fork goes, with its history, and with its directory where that is ours.

A directory goes only if it is the very one that the fork had, and nothing else lives in it.
"""

from __future__ import annotations

import os
from contextlib import suppress

from clew.errors import ForkHasChanges
from clew.model.checkpoint import ForkInfo, WorkspaceInfo
from clew.model.forking import DiscardResult
from clew.monitor import Monitor
from clew.operations.capture import scan_live
from clew.operations.context import Context, cache_path
from clew.operations.fork_places import is_inside, noting, remove_place, sweep_places
from clew.operations.forks import differs, fork_context, has_directory
from clew.store.graphs import forget_graphs
from clew.store.room import with_reserve
from clew.worktree.syscalls import birth_ns

_ANOTHER = "it is not the directory that the fork had"


def discard_fork(
    context: Context, fork: ForkInfo, monitor: Monitor, *, files: bool = False, force: bool = False
) -> DiscardResult:
    """Remove a fork; a directory that is not in the store only with `files`.

    Without `force`, one that has changed since its base is refused.
    """
    store = context.store
    store.require_writable()
    sweep_places(store)
    own = fork_context(context, fork)
    with store.locks.workspace(own.workspace, monitor), store.locks.shared(monitor):
        if not force and _has_changes(own, fork, monitor):
            raise ForkHasChanges(fork.name)
        wants_removal = bool(own.info.path) and (fork.managed or files)
        why_not = _why_kept(context, own.info, fork) if wants_removal else ""
        goes = wants_removal and not why_not
        with noting(store, own.workspace) as note:
            if goes:
                note.add(own.info.path, own.info.inode)
            number = with_reserve(store.layout, lambda: _forget(own, fork))
            if goes and not remove_place(own.info.path, own.info.inode):
                goes, why_not = False, _ANOTHER
    with suppress(OSError):
        forget_graphs(store.layout, own.workspace)
    with suppress(OSError):
        os.unlink(cache_path(store, own.workspace))
    return DiscardResult(fork, own.info, number, goes, why_not)


def _has_changes(own: Context, fork: ForkInfo, monitor: Monitor) -> bool:
    """Tell whether a fork, saved or not, differs from what it began with."""
    timeline = list(own.store.checkpoints.newest_first(own.workspace))
    if len({checkpoint.record.state for checkpoint in timeline}) > 1:
        return True
    base = own.store.checkpoints.get(fork.base)
    if base is not None and any(one.record.state != base.record.state for one in timeline):
        return True
    here = own.here
    if here is None or not has_directory(own.info):
        return False
    found, trees = scan_live(own, monitor)
    return differs(here, found, trees.get)


def _why_kept(context: Context, info: WorkspaceInfo, fork: ForkInfo) -> str:
    """Say why a directory must stay; nothing if it may go."""
    if not os.path.lexists(info.path):
        return ""
    if not has_directory(info) or _is_younger(info, fork):
        return _ANOTHER
    store = os.path.realpath(os.fsencode(context.store.layout.root))
    if is_inside(store, info.path):
        return "the store is in it"
    for other in context.store.workspaces.all():
        if other.uuid != info.uuid and other.path and is_inside(other.path, info.path):
            return "another workspace is in it"
    return ""


def _is_younger(info: WorkspaceInfo, fork: ForkInfo) -> bool:
    """Tell whether a directory was made after the fork: an inode number is used again."""
    parent = os.open(os.path.dirname(info.path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        birth = birth_ns(parent, os.path.basename(info.path))
    finally:
        os.close(parent)
    return not fork.managed and birth is not None and birth > fork.created_ns


def _forget(own: Context, fork: ForkInfo) -> int:
    """Remove all rows of a fork and bury its checkpoints, all or none; return how many."""
    store = own.store
    with store.database.transaction():
        store.forks.hand_on(own.workspace, fork.source)
        store.forks.remove(own.workspace)
        checkpoints = store.workspaces.remove(own.workspace)
        store.checkpoints.bury(checkpoints, purge=False)
    return len(checkpoints)
