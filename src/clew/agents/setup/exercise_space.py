"""Exercise space: a temporary workspace with a store of its own, inside the real store's directory.

It is on the disk and the filesystem of the real store, and not part of its history: nothing remains
in the catalogue when it is deleted.  `tmp/` is swept by the next gc if `doctor` is killed; the caller
holds the store's shared lock, so that no gc sweeps it meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from clew import opening
from clew.operations.host import Host
from clew.store.layout import Layout
from clew.store.limits import StoreLimits
from clew.workspace import Workspace
from clew.worktree.remove_tree import remove_tree


class _SmallStore(StoreLimits):
    reserve_bytes = 1 << 16


class _ExerciseHost(Host):
    store_limits = _SmallStore()


class ExerciseSpace(NamedTuple):
    """The directories of an exercise."""

    root: str
    workspace: str
    store: str
    state: str
    """The state directory of hooks: their errors are logged there and not in the user's log."""

    def open(self) -> Workspace:
        return opening.open(self.workspace, self.store, host=_ExerciseHost())


@contextmanager
def exercise_space(store: str) -> Iterator[ExerciseSpace]:
    """Create a workspace and a store in the directory of the real store, and delete them."""
    tmp, name = Layout(store).tmp, f"doctor-{os.urandom(8).hex()}"
    root = os.path.join(tmp, name)
    os.mkdir(root, 0o700)
    try:
        space = ExerciseSpace(
            root, *(os.path.join(root, name) for name in ("workspace", "store", "state"))
        )
        os.mkdir(space.workspace, 0o700)
        workspace, _ = opening.init(space.workspace, space.store, host=_ExerciseHost())
        with workspace:
            workspace.settings.set("story.background", "off")
            workspace.settings.set("min-free", "0")  # the real store's limit is another check
        yield space
    finally:
        remove_tree(os.fsencode(tmp), os.fsencode(name))
