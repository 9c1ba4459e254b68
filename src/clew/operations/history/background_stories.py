"""Background stories: a detached process that derives the stories that commits leave out.

A hook does not wait for a story, and commands that read do not write one.  After a commit that has
no story, this process is started, at most one for each workspace.  The worker in which detectors run
has the lowest priority; the process itself, which takes locks, does not.

It holds the lock `stories-<workspace>` from its start to its end: the process that starts it takes
the lock and passes the open file on.  A commit that finds the lock taken starts nothing.  Before
the process exits, it releases the lock and looks once more for stories: a commit whose attempt to
take the lock failed was made before that, and is found.
"""

from __future__ import annotations

import os
import sys

from clew.errors import ClewError
from clew.operations.context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.ids import CheckpointId

BACKGROUND = "story.background"
"""The setting that turns it on or off."""

_MODULE = "clew.operations.history.background_stories"
_COUNT = 500
_SECONDS = 600.0
"""Limits of one process; the next commit continues."""


def start_background_stories(context: Context, *, if_missing: bool = False) -> None:
    """Start the process unless it runs or is turned off; a failure never affects the caller.

    With `if_missing`, it is not started where all stories are stored.
    """
    try:
        if not _is_wanted(context) or (if_missing and not _is_any_missing(context)):
            return
        lock = context.store.locks.try_stories(context.workspace)
        if lock is None:
            return
        try:
            _start(context, lock)
        finally:
            os.close(lock)
    except (ClewError, OSError):
        return  # a later commit starts it


def _is_wanted(context: Context) -> bool:
    from clew.worktree.interpreter import may_start_detached  # noqa: PLC0415 - most hooks save nothing

    if not context.store.writable or not may_start_detached():
        return False
    return context.store.settings.all(context.workspace).get(BACKGROUND) != "off"


def _is_any_missing(context: Context) -> bool:
    from clew.story.version import story_version  # noqa: PLC0415 - the same

    version = story_version(context.store.settings.all(context.workspace))
    return bool(context.store.stories.missing(context.workspace, version, 1))


def _start(context: Context, lock: int) -> None:
    from clew.worktree.interpreter import start_detached  # noqa: PLC0415 - the same

    place = (context.store.layout.root, context.workspace.hex())
    command = (sys.executable, "-P", "-m", _MODULE, *place)
    start_detached(command, context.root, descriptor=lock)


# In the process


def main() -> None:
    """Derive the missing stories of a workspace; the entry point of the process."""
    from clew.worktree.interpreter import PASSED_DESCRIPTOR, clean_import_path  # noqa: PLC0415

    clean_import_path(sys.path, os.environ)
    os.set_inheritable(PASSED_DESCRIPTOR, False)
    root, workspace = sys.argv[1:]
    run(root, bytes.fromhex(workspace), PASSED_DESCRIPTOR)


def run(root: str, workspace: bytes, lock: int) -> None:
    """Derive the missing stories of a workspace while holding its lock, an open file."""
    from clew.store.store import Store  # noqa: PLC0415

    os.ftruncate(lock, 0)
    os.pwrite(lock, b"%d\n" % os.getpid(), 0)
    store = Store.open(root)
    try:
        info = store.workspaces.get(workspace)
        if info is not None:
            _derive_all(Context(store, info), lock)
    finally:
        store.close()


def _derive_all(context: Context, lock: int) -> None:
    """Derive stories until none is missing or a limit is reached."""
    import time  # noqa: PLC0415

    from clew.operations.history.missing_stories import (  # noqa: PLC0415
        derive_missing_stories,
        next_missing,
    )
    from clew.store.locks import try_lock, unlock  # noqa: PLC0415

    tried: set[CheckpointId] = set()
    deadline = time.monotonic() + _SECONDS
    while _is_wanted(context):
        count, seconds = _COUNT - len(tried), deadline - time.monotonic()
        derive_missing_stories(context, tried, count=count, seconds=seconds)
        unlock(lock)
        if len(tried) >= _COUNT or time.monotonic() >= deadline:
            return
        if next_missing(context, tried) is None or not try_lock(lock):
            return


if __name__ == "__main__":
    main()
