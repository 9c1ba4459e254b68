"""Discard a fork with its history, and with its directory if that is ours.

A directory is removed only if it is the one that the fork had, and nothing else is in it.  What no
checkpoint would hold afterwards is removed only with confirmation: changes since the base, and
files that the fork's rules exclude or that could not be read (`unsaved_files.py`).

    scan     what is in the directory, and what is held elsewhere
    rename   to a hidden name, then scan again
    forget   remove the rows
    remove   remove the files, except those that changed after that scan
"""

from __future__ import annotations

import os
from collections.abc import Set
from contextlib import suppress

from clew.errors import ClewError, ForkHasChanges, UncapturedFiles
from clew.filenames import real_path
from clew.model.checkpoint import ForkInfo, WorkspaceInfo
from clew.model.fork_results import DiscardResult, Unheld
from clew.model.path import as_text
from clew.model.retention import RetentionRule
from clew.monitor import Monitor
from clew.operations.context import Context, cache_path
from clew.operations.forks.directories import (
    birth_of,
    is_inside,
    move_aside,
    noting,
    put_back,
    remove_place,
    sweep_directories,
)
from clew.operations.forks.list_forks import differs, fork_context, has_directory
from clew.operations.forks.unsaved_files import DirectoryState, look_at_directory
from clew.policy.redaction.redact import redact_name
from clew.render.units import count, size
from clew.store.graphs import forget_graphs
from clew.store.reserve import with_reserve
from clew.worktree.mounts import mounts_below, read_mounts

_ANOTHER = "another directory replaced it"
_LAST = "is the last copy of its files"
_SAID = "has a conversation that would be lost"
_MEANWHILE = "was changed while it was being discarded"


def discard_fork(
    context: Context, fork: ForkInfo, monitor: Monitor, *, files: bool = False, force: bool = False
) -> DiscardResult:
    """Discard a fork; a directory outside the store only with `files`.

    Without `force`, a fork that is the last to hold something is refused.
    """
    store = context.store
    store.require_writable()
    sweep_directories(store)
    own = fork_context(context, fork)
    with store.locks.workspace(own.workspace, monitor), store.locks.shared(monitor):
        look = _look(own, monitor, force=force)
        if not force:
            _require_no_changes(own, fork, look)
        wants_removal = bool(own.info.path) and (fork.managed or files)
        why_not = _why_kept(context, own.info, fork) if wants_removal else ""
        goes = wants_removal and not why_not
        if goes and not force and look is not None and look.unheld.files:
            raise _refused(fork, look.unheld)
        number, goes, why_not = _discard(own, fork, look, monitor, goes, why_not, force=force)
    with suppress(OSError):
        forget_graphs(store.layout, own.workspace)
    with suppress(OSError):
        os.unlink(cache_path(store, own.workspace))
    lost = look.unheld if goes and look is not None else Unheld()
    return DiscardResult(fork, own.info, number, goes, why_not, lost)


def _look(own: Context, monitor: Monitor, *, force: bool) -> DirectoryState | None:
    """Return the state of a fork's directory; None if there is none, or it does not matter."""
    if not has_directory(own.info):
        return None
    try:
        return look_at_directory(own, own.root, monitor)
    except (ClewError, OSError):
        if not force:
            raise
        return None


def _discard(
    own: Context,
    fork: ForkInfo,
    look: DirectoryState | None,
    monitor: Monitor,
    goes: bool,
    why_not: str,
    *,
    force: bool,
) -> tuple[int, bool, str]:
    """Discard; return how many checkpoints were removed, whether the directory was, and why not."""
    store, place, host = own.store, own.info.path, own.host
    with noting(store, own.workspace) as note:
        aside = None
        if goes and os.path.lexists(place):
            host.fail_point("discard.move")
            try:
                aside = move_aside(place, own.info.inode, note)
            except OSError as error:
                goes, why_not = False, f"it cannot be moved ({error.strerror})"
        if aside is not None and not force:
            if look is None or look_at_directory(own, aside[0], monitor).key != look.key:
                raise ForkHasChanges(fork.name, _MEANWHILE)  # and the note moves it back
        host.fail_point("discard.forget")
        number = with_reserve(store.layout, lambda: _forget(own, fork))
        if aside is not None:
            host.fail_point("discard.remove")
            removal = remove_place(aside[0], own.info.inode, aside[1])
            if not removal.is_gone:
                goes, why_not = False, _said(removal.kept, put_back(aside[0], place))
    return number, goes, why_not


def _refused(fork: ForkInfo, unheld: Unheld) -> UncapturedFiles:
    what = f"{count(unheld.files, 'file')} ({size(unheld.total_bytes)})"
    named = [as_text(path) for path in unheld.paths]
    return UncapturedFiles(fork.name, what, named, unheld.files - len(named))


def _said(kept: tuple[bytes, ...], where: bytes) -> str:
    if not kept:
        return f"new files appeared in it; it is now {as_text(where)}"
    names = ", ".join(redact_name(as_text(path.partition(b"/")[2])) for path in kept[:3])
    more = f" and {len(kept) - 3} more" if len(kept) > 3 else ""
    return f"files that changed meanwhile are in {as_text(where)}: {names}{more}"


def _require_no_changes(own: Context, fork: ForkInfo, look: DirectoryState | None) -> None:
    """Refuse a fork that differs from its base, saved or not, or is the last to hold something."""
    store = own.store
    timeline = list(store.checkpoints.newest_first(own.workspace))
    states = {checkpoint.record.state for checkpoint in timeline}
    said = {checkpoint.record.position.conversation for checkpoint in timeline}
    base = store.checkpoints.get(fork.base)
    if len(states) > 1 or (base is not None and states - {base.record.state}):
        raise ForkHasChanges(fork.name)
    if len(said) > 1 or _has_said_more(own, said):
        raise ForkHasChanges(fork.name, _SAID)
    here = own.here
    if here is not None and look is not None and differs(here, look.found, look.trees.get):
        raise ForkHasChanges(fork.name)
    if states and not store.checkpoints.holds_state_elsewhere(next(iter(states)), own.workspace):
        raise ForkHasChanges(fork.name, _LAST)


def _has_said_more(own: Context, known: Set[object]) -> bool:
    sessions = own.store.sessions
    return any(
        (session.conversation is not None and session.conversation not in known)
        or sessions.pending(session.id)
        for session in sessions.of(own.workspace)
    )


def _why_kept(context: Context, info: WorkspaceInfo, fork: ForkInfo) -> str:
    """Return why a directory must stay; empty if it may be removed."""
    if not os.path.lexists(info.path):
        return ""
    if not has_directory(info) or _is_younger(info, fork):
        return _ANOTHER
    store = real_path(os.fsencode(context.store.layout.root))
    if is_inside(store, info.path):
        return "it contains the store"
    for other in context.store.workspaces.all():
        if other.uuid != info.uuid and other.path and is_inside(other.path, info.path):
            return "it contains another workspace"
    if mounts_below(info.path, read_mounts()):
        return "it contains a mounted filesystem"
    return ""


def _is_younger(info: WorkspaceInfo, fork: ForkInfo) -> bool:
    """Return whether a directory was created after the fork: inode numbers are reused."""
    birth = birth_of(info.path)
    return not fork.managed and birth is not None and birth > fork.created_ns


def _forget(own: Context, fork: ForkInfo) -> int:
    """Remove all rows of a fork and turn its checkpoints into tombstones, all or none; count them."""
    store = own.store
    with store.database.transaction():
        store.forks.hand_on(own.workspace, fork.source)
        store.forks.remove(own.workspace)
        checkpoints = store.workspaces.remove(own.workspace)
        store.checkpoints.bury(checkpoints, purge=False, rule=RetentionRule.DISCARD)
    return len(checkpoints)
