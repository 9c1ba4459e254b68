"""Process that derives the missing stories of one workspace; see `background_stories`.

It is started with the path of a store and the id of a workspace, and given their lock, open.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

from clew.worktree.interpreter import PASSED_DESCRIPTOR, clean_import_path

if __name__ == "__main__":  # before the others are imported
    clean_import_path(sys.path, os.environ)

from clew.errors import ClewError
from clew.model.ids import CheckpointId
from clew.operations.context import Context
from clew.operations.history.background_stories import is_wanted
from clew.operations.history.database_looks import is_look_due, look_at_databases
from clew.operations.history.missing_stories import (
    derive_again,
    derive_missing_stories,
    next_missing,
)
from clew.operations.host import REAL, Host
from clew.store.locks import try_lock, unlock
from clew.store.store import Store

_COUNT = 500
_SECONDS = 600.0
"""Limits of one process; the next commit continues."""


def main() -> None:
    """Derive the missing stories of a workspace; the entry point of the process."""
    os.set_inheritable(PASSED_DESCRIPTOR, False)
    root, workspace = sys.argv[1:]
    run(root, bytes.fromhex(workspace), PASSED_DESCRIPTOR)


def run(root: str, workspace: bytes, lock: int, host: Host = REAL) -> None:
    """Derive the missing stories of a workspace while holding its lock, an open file."""
    os.ftruncate(lock, 0)
    os.pwrite(lock, b"%d\n" % os.getpid(), 0)
    store = Store.open(root)
    try:
        info = store.workspaces.get(workspace)
        if info is not None:
            _derive_all(Context(store, info, host), lock)
    finally:
        store.close()


def _derive_all(context: Context, lock: int) -> None:
    """Derive stories until none is missing or a limit is reached."""
    tried: set[CheckpointId] = set()
    looked: set[CheckpointId] = set()
    deadline = time.monotonic() + _SECONDS
    while is_wanted(context):
        _look(context, looked)
        count, seconds = _COUNT - len(tried), deadline - time.monotonic()
        derive_missing_stories(context, tried, count=count, seconds=seconds)
        context.host.fail_point("stories.unlock")
        unlock(lock)
        context.host.fail_point("stories.unlocked")
        if len(tried) >= _COUNT or time.monotonic() >= deadline:
            return
        is_work_left = is_look_due(context, looked) or next_missing(context, tried) is not None
        if not is_work_left or not try_lock(lock):
            return


def _look(context: Context, looked: set[CheckpointId]) -> None:
    """Look at databases before stories are derived: what servers say is a part of a story."""
    with suppress(ClewError, OSError):
        checkpoint = look_at_databases(context, looked)
        if checkpoint is not None:
            derive_again(context, checkpoint)


if __name__ == "__main__":
    main()
