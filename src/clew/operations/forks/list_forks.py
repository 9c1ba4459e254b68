"""Forks of a workspace: found by name, and listed with their progress."""

from __future__ import annotations

import os

from clew.diff.trees import diff_trees
from clew.errors import AmbiguousFork, ClewError, UnknownFork
from clew.filenames import real_path
from clew.model.checkpoint import Checkpoint, ForkInfo, WorkspaceInfo
from clew.model.fork_results import Directory, ForkStatus
from clew.model.record import Origin
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.history.story import story_between, story_of, story_side
from clew.operations.restore.resume import continue_restore
from clew.operations.save.commit import SaveOptions, capture
from clew.operations.save.scan import Get, scan_live
from clew.policy.labels import label
from clew.worktree.scan import ScanResult

_PREFIX_DIGITS = 4
_WHEN_ASKED = "state when compared or adopted"


def list_forks(context: Context) -> list[ForkStatus]:
    """Return the forks of a workspace, newest first."""
    found = [_standing(context, fork) for fork in context.store.forks.of(context.workspace)]
    return [standing for standing in found if standing is not None]


def find_fork(context: Context, text: str) -> ForkInfo:
    """Return the fork named by a name, a prefix of its id, or a directory."""
    forks = context.store.forks.of(context.workspace)
    for fork in forks:
        if fork.name in (text, label(text)):
            return fork
    found = [fork for fork in forks if _has_id(fork, text) or _is_at(context, fork, text)]
    if not found:
        raise UnknownFork(text)
    if len(found) > 1:
        raise AmbiguousFork(text, [fork.name for fork in found])
    return found[0]


def fork_status(context: Context, fork: ForkInfo) -> ForkStatus:
    """Return a fork with its progress."""
    found = _standing(context, fork)
    if found is None:
        raise UnknownFork(fork.name)
    return found


def fork_context(context: Context, fork: ForkInfo) -> Context:
    """Return the context of the fork's own workspace."""
    info = context.store.workspaces.get(fork.workspace)
    if info is None:
        raise UnknownFork(fork.name)
    return Context(context.store, info, context.host)


def fork_tip(context: Context, fork: ForkInfo, monitor: Monitor) -> Checkpoint:
    """Return the newest state of a fork, after saving its unsaved work in its own timeline.

    The caller holds no locks of the fork.
    """
    own = fork_context(context, fork)
    store = context.store
    if has_directory(own.info):
        with store.locks.workspace(own.workspace, monitor), store.locks.shared(monitor):
            if store.journal.unfinished(own.workspace) is not None:
                monitor.notice("Continuing an interrupted restore of the fork first")
                continue_restore(own, monitor)
            save_if_changed(own, monitor)
    here = own.here
    if here is None:
        raise UnknownFork(fork.name)
    return here


def save_if_changed(own: Context, monitor: Monitor) -> None:
    """Save what a fork's directory holds and its history does not."""
    here = own.here
    found, trees = scan_live(own, monitor)
    if here is None or differs(here, found, trees.get):
        options = SaveOptions(intent=_WHEN_ASKED, origin=Origin.AUTOMATIC)
        capture(own, options, monitor, on_trail=True)


def has_directory(info: WorkspaceInfo) -> bool:
    """Return whether a workspace's own directory is in its place."""
    try:
        return bool(info.path) and os.stat(info.path).st_ino == info.inode
    except OSError:
        return False


def differs(here: Checkpoint, found: ScanResult, get: Get) -> bool:
    """Return whether a scan found anything new; uncovered paths do not count."""
    if found.state == here.record.state:
        return False
    if found.links != here.record.links:
        return True
    return any(True for _ in diff_trees(here.record.tree, found.tree, get, mtimes=False))


def began_with(own: Context, fork: ForkInfo) -> Checkpoint | None:
    """Return the checkpoint that a fork was created from, or its own first, which holds the same."""
    base = own.store.checkpoints.get(fork.base)
    if base is not None:
        return base
    timeline = own.store.checkpoints.newest_first(own.workspace)
    return next((one for one in timeline if one.record.parent == fork.base), None)


def _standing(context: Context, fork: ForkInfo) -> ForkStatus | None:
    info = context.store.workspaces.get(fork.workspace)
    if info is None:
        return None
    own = Context(context.store, info, context.host)
    here, began = own.here, began_with(own, fork)
    changed = here is not None and began is not None and here.record.state != began.record.state
    if here is not None:
        headline = _headline(own, began, here) if changed and began is not None else None
        here = here._replace(is_here=True, headline=headline)
    base = context.store.checkpoints.get(fork.base)
    return ForkStatus(fork, info, base, here, changed, _directory(info))


def _headline(own: Context, began: Checkpoint, here: Checkpoint) -> str | None:
    """Return the story since the start; empty if it cannot be derived."""
    parent = here.record.parent and own.store.checkpoints.get(here.record.parent)
    try:
        if parent and parent.record.tree == began.record.tree:
            return story_of(own, here).headline  # often stored
        return story_between(own, story_side(own, began), story_side(own, here)).headline
    except (ClewError, OSError):
        return None


def _directory(info: WorkspaceInfo) -> str:
    if not info.path:
        return Directory.NONE
    return Directory.PRESENT if has_directory(info) else Directory.MISSING


def _has_id(fork: ForkInfo, text: str) -> bool:
    return len(text) >= _PREFIX_DIGITS and fork.workspace.hex().startswith(text.lower())


def _is_at(context: Context, fork: ForkInfo, text: str) -> bool:
    info = context.store.workspaces.get(fork.workspace)
    path = os.path.join(os.getcwdb(), os.fsencode(text))
    if info is None or not info.path or b"\0" in path:
        return False
    return real_path(path) == info.path
