"""Background process: detached from the command that starts it, at most one of a kind for a workspace.

It holds a lock from its start to its end: the command that starts it takes the lock and passes the
open file on.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from clew.operations.context import Context


def start_background_process(
    context: Context, module: str, take_lock: Callable[[bytes], int | None]
) -> None:
    """Start a module with the store's path and the workspace's id, unless another process has the lock."""
    from clew.worktree.interpreter import start_detached  # noqa: PLC0415 - most saves start none

    lock = take_lock(context.workspace)
    if lock is None:
        return
    try:
        place = (context.store.layout.root, context.workspace.hex())
        command = (sys.executable, "-P", "-m", module, *place)
        start_detached(command, context.root, descriptor=lock)
    finally:
        os.close(lock)
