"""The workspace of a directory, opened for one call at a time.

Every call opens its own, so that any number of threads and processes may work at once: the locks
of the store put them in order.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from clew import opening
from clew.errors import ClewError, NotAWorkspace, RestoreError
from clew.model.restore_results import RestoreResult
from clew.places import StrPath
from clew.store.ledgers import Ledger, Ledgers, owner_key
from clew.store.store import Store
from clew.workspace import Workspace

OWN_STATE = (".chimera", ".chimera_checkpoints")
"""What Chimera itself keeps in a directory, at any depth: no checkpoint holds it and no restore
touches it, not even one to a checkpoint of the time when it was held."""


@contextmanager
def opened(directory: str, store: StrPath | None) -> Iterator[Workspace]:
    """Give the workspace of exactly this directory; one above it is somebody else's."""
    workspace = _open(directory, store)
    with workspace:
        _leave_out_own_state(workspace)
        yield workspace


def require_harmless(directory: str) -> None:
    """Refuse the places that nobody means to roll back."""
    if directory in ("/", os.path.realpath(os.path.expanduser("~"))):
        raise PermissionError(f"Refusing to checkpoint or restore {directory!r}")


def is_there(workspace: Workspace, reference: str) -> bool:
    """Tell whether a full id is that of a checkpoint of the workspace."""
    try:
        return workspace.resolve(reference).id.hex() == reference
    except ClewError:
        return False


def require_whole(result: RestoreResult) -> None:
    """Refuse to call a restore done that was not."""
    if not result.is_partial:
        return
    left = [*result.problems, *result.left_alone]
    what = f": {os.fsdecode(left[0].path)!r} ({left[0].reason})" if left else ""
    raise RestoreError(f"Not everything could be restored{what}")


class Records:
    """One ledger in one store."""

    def __init__(self, owner: str, store: StrPath | None) -> None:
        self._owner = owner
        self._store = store

    def read(self) -> Ledger:
        with self._opened() as store:
            return Ledgers(store.database).read(self._owner)

    @contextmanager
    def changing(self) -> Iterator[Ledger]:
        """Give the ledger to change; nobody else changes it meanwhile."""
        with self._opened() as store, Ledgers(store.database).changing(self._owner) as ledger:
            yield ledger

    @contextmanager
    def walking(self) -> Iterator[None]:
        """Be the only one who walks back along it; entries may still be added."""
        with self._opened() as store, store.locks.ledger(owner_key(self._owner)):
            yield

    @contextmanager
    def _opened(self) -> Iterator[Store]:
        store = Store.open(opening.store_place(self._store), create=True)
        try:
            yield store
        finally:
            store.close()


def _leave_out_own_state(workspace: Workspace) -> None:
    """Add Chimera's own state to what the workspace leaves out, for every surface of clew."""
    patterns = workspace.settings.all()["exclude"].splitlines()
    missing = [name for name in OWN_STATE if name not in patterns]
    if missing:
        workspace.settings.set("exclude", "\n".join([*patterns, *missing]))


def _open(directory: str, store: StrPath | None) -> Workspace:
    if os.path.isdir(directory):
        return opening.init(directory, store)[0]
    workspace = opening.open(directory, store)  # it was deleted, and may be wanted back
    if workspace.info.path != os.fsencode(directory):
        workspace.close()
        raise NotAWorkspace(directory)
    return workspace
