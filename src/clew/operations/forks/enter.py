"""Enter a fork: run a program that sees the fork's directory at the path of its workspace.

Files that name that path, as those of a virtual environment do, then lead to the fork.
A fork of a fork is visible at the paths of all workspaces that it comes from.
"""

from __future__ import annotations

import os

from clew.errors import BadOption, CannotEnter, UnknownFork
from clew.filenames import real_path
from clew.model.checkpoint import ForkInfo
from clew.operations.context import Context
from clew.operations.forks.directories import is_inside
from clew.operations.forks.list_forks import find_fork, fork_context
from clew.worktree.enter import View


def fork_to_enter(context: Context, text: str | None) -> ForkInfo:
    """Return the fork of a name; without one, the fork that this workspace is.

    In a fork, the other forks of its source can be named too.
    """
    store = context.store
    own = store.forks.get(context.workspace)
    if text is None:
        if own is None:
            raise BadOption("FORK", "required, because the workspace is not a fork")
        return own
    try:
        return find_fork(context, text)
    except UnknownFork:
        source = store.workspaces.get(own.source) if own is not None else None
        if source is None:
            raise
    return find_fork(Context(store, source, context.host), text)


def view_of(context: Context, fork: ForkInfo, start: bytes) -> View:
    """Return where a program sees a fork, started from the directory `start`."""
    own = fork_context(context, fork)
    store = context.store
    if own.info.machine:
        raise CannotEnter(fork.name, "it is a whole machine")
    if not own.root or not os.path.isdir(own.root):
        problem = "its directory is missing" if own.root else "it has no directory"
        raise CannotEnter(fork.name, problem, has_files=False)
    inode = os.stat(own.root).st_ino
    if inode != own.info.inode:  # replaced; a command inside finds the fork by its inode
        store.workspaces.bind(own.workspace, own.root, inode)
    sources = map(store.workspaces.get, store.forks.sources(own.workspace))
    found = [one.path for one in sources if one is not None and one.path and not one.machine]
    paths = tuple(dict.fromkeys(found))
    if not paths:
        raise CannotEnter(fork.name, "the path of its workspace is not known")
    return View(
        own.root, paths, real_path(os.fsencode(store.layout.root)),
        _directory_inside(real_path(start), own.root, paths),
    )  # fmt: skip


def _directory_inside(start: bytes, root: bytes, paths: tuple[bytes, ...]) -> bytes:
    """Return the directory where a program starts: the same one below the first path."""
    for path in paths:
        if is_inside(start, path):
            return start
    return paths[0] + start[len(root) :] if is_inside(start, root) else paths[0]
