"""Workspaces and records: opened for one call at a time.

Every call opens its own, so that any number of threads and processes can run concurrently: the
store's locks serialise them.
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
"""Chimera's own state in a directory, at any depth: no checkpoint contains it and no restore changes
it, not even a restore of an older checkpoint that contains it."""


@contextmanager
def opened(directory: str, store: StrPath | None) -> Iterator[Workspace]:
    """Open the workspace of exactly this directory, not one above it."""
    workspace = _open(directory, store)
    with workspace:
        _exclude_own_state(workspace)
        yield workspace


def require_allowed(directory: str) -> None:
    """Raise PermissionError for `/` and the home directory."""
    if directory in ("/", os.path.realpath(os.path.expanduser("~"))):
        raise PermissionError(f"Refusing to checkpoint or restore {directory!r}")


def has_checkpoint(workspace: Workspace, reference: str) -> bool:
    """Return whether a full id is that of a checkpoint of the workspace."""
    try:
        return workspace.resolve(reference).id.hex() == reference
    except ClewError:
        return False


def require_complete(result: RestoreResult) -> None:
    """Raise RestoreError if a restore was partial."""
    if not result.is_partial:
        return
    left = [*result.problems, *result.skipped]
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
        """Give exclusive access to the ledger, and write it back."""
        with self._opened() as store, Ledgers(store.database).changing(self._owner) as ledger:
            yield ledger

    @contextmanager
    def walking(self) -> Iterator[None]:
        """Hold the lock for undo and redo; entries may still be added."""
        with self._opened() as store, store.locks.ledger(owner_key(self._owner)):
            yield

    @contextmanager
    def _opened(self) -> Iterator[Store]:
        store = Store.open(opening.store_place(self._store), create=True)
        try:
            yield store
        finally:
            store.close()


def _exclude_own_state(workspace: Workspace) -> None:
    """Add Chimera's own state to the workspace's `exclude` setting."""
    patterns = workspace.settings.all()["exclude"].splitlines()
    missing = [name for name in OWN_STATE if name not in patterns]
    if missing:
        workspace.settings.set("exclude", "\n".join([*patterns, *missing]))


def _open(directory: str, store: StrPath | None) -> Workspace:
    if os.path.isdir(directory):
        return opening.init(directory, store)[0]
    workspace = opening.open(directory, store)  # a deleted directory can be restored
    if workspace.info.path != os.fsencode(directory):
        workspace.close()
        raise NotAWorkspace(directory)
    return workspace
