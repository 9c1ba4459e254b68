"""Sweeping: what crashes left over.

While the store is locked exclusively nobody writes, so whatever is in `tmp/`, and any pack that
the catalogue does not name, is left over; see docs/format.md, 6.  Who writes into `tmp/` holds the
lock, shared, until the file is in its place; the few who cannot do without what is swept.
A left-over pack with a checkpoint that the catalogue has never heard of may mean that it is the
catalogue that lost something: then all left-over packs are set aside, and said.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from clew.model.ids import CheckpointId, ObjectType
from clew.store.survey import Flaw, survey

if TYPE_CHECKING:
    from clew.store.store import Store


def has_litter(store: Store) -> bool:
    """Tell whether there is anything to sweep; what a save is just writing looks the same."""
    return bool(_scratch(store) or orphans(store))


def sweep(store: Store) -> list[str]:
    """Remove or set aside what crashes left, and say what was set aside; under the exclusive lock."""
    for path in _scratch(store):
        _remove(path)
    left_over = orphans(store)
    if not any(_may_be_wanted(store, name) for name in left_over):
        for name in left_over:
            store.transport.remove(name)
        return []
    for name in left_over:
        os.rename(
            os.path.join(store.layout.packs, name), os.path.join(store.layout.quarantine, name)
        )
    return [f"{len(left_over)} packs of which the catalogue knows nothing are now in quarantine/"]


def orphans(store: Store) -> list[str]:
    """Return the packs that the catalogue does not name."""
    # Names first: a pack that is committed in between is then found to be named.
    present = sorted(store.transport.names())
    named = {row[0] for row in store.database.execute("SELECT name FROM packs")}
    return [name for name in present if name not in named]


def unknown_records(store: Store, name: str) -> list[CheckpointId]:
    """Return the checkpoints in a pack that the catalogue has never heard of."""
    found = []
    for part in survey(store.transport, name):
        if not isinstance(part, Flaw):
            for place in part.frame.places:
                identifier = CheckpointId(place.identifier)
                if place.kind == ObjectType.RECORD and not store.checkpoints.is_known(identifier):
                    found.append(identifier)
    return found


def _may_be_wanted(store: Store, name: str) -> bool:
    """A pack that cannot be read to its end could hold anything."""
    is_damaged = any(isinstance(part, Flaw) for part in survey(store.transport, name))
    return is_damaged or bool(unknown_records(store, name))


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except (IsADirectoryError, PermissionError):  # what a story was told from
        from shutil import rmtree  # only after a crash

        rmtree(path, ignore_errors=True)


def _scratch(store: Store) -> list[str]:
    try:
        return [os.path.join(store.layout.tmp, name) for name in os.listdir(store.layout.tmp)]
    except FileNotFoundError:
        return []
