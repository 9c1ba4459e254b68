"""Process that drills one restore of a workspace; see `background_drills`.

It is started with the path of a store and the id of a workspace, and given their lock, open.
"""

from __future__ import annotations

import os
import sys

from clew.worktree.interpreter import PASSED_DESCRIPTOR, clean_import_path

if __name__ == "__main__":  # before the others are imported
    clean_import_path(sys.path, os.environ)

from clew.errors import ClewError
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.host import REAL, Host
from clew.operations.maintenance.settings import VERIFY, in_force
from clew.operations.sandbox.drill import drill_checkpoint, random_checkpoint
from clew.store.store import Store
from clew.worktree.syscalls import lower_priority


def main() -> None:
    """Drill a restore of a workspace; the entry point of the process."""
    os.set_inheritable(PASSED_DESCRIPTOR, False)
    lower_priority()
    root, workspace = sys.argv[1:]
    run(root, bytes.fromhex(workspace), PASSED_DESCRIPTOR)


def run(root: str, workspace: bytes, lock: int, host: Host = REAL) -> None:
    """Drill a restore of a workspace while holding its lock, an open file.

    It is the newest good checkpoint until that is proven, then a random one.  Without enough free
    space, nothing is done.
    """
    os.ftruncate(lock, 0)
    os.pwrite(lock, b"%d\n" % os.getpid(), 0)
    store = Store.open(root)
    try:
        info = store.workspaces.get(workspace)
        if info is None:
            return
        context, monitor = Context(store, info, host), Monitor()
        with store.locks.shared(monitor):
            good = store.checkpoints.latest_passing(workspace)
            is_proven = good is not None and good.drill is not None and good.drill.is_proven
            chosen = good if good is not None and not is_proven else random_checkpoint(context)
        # A command that was once a check may have effects outside the copy: without a person, only
        # the configured check runs.
        drill_checkpoint(context, chosen, monitor, check=bool(in_force(context)[VERIFY]))
    except (ClewError, OSError):
        return  # a commit after the next hour starts another
    finally:
        store.close()


if __name__ == "__main__":
    main()
