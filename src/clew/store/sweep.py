"""Sweep: removal of the leftovers of crashes.

No process writes while the store is locked exclusively, so everything in `tmp/`, and every pack that
the catalogue does not name, is a leftover; see docs/format.md, 6.  Writers to `tmp/` hold the shared
lock until the file is in place; the few that do not must tolerate that the file is swept.
A leftover pack with an unknown checkpoint may mean that the catalogue has lost rows: then all
leftover packs are moved to quarantine/ and reported.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from clew.model.ids import CheckpointId, ObjectType
from clew.store.survey import Flaw, survey

if TYPE_CHECKING:
    from clew.store.store import Store


def has_leftovers(store: Store) -> bool:
    """Return whether there is anything to sweep; files of a running save look the same."""
    return bool(_tmp_paths(store) or orphans(store))


def sweep(store: Store) -> list[str]:
    """Remove or quarantine leftovers, and report what was quarantined; under the exclusive lock."""
    for path in _tmp_paths(store):
        _remove(path)
    leftovers = orphans(store)
    if not any(_may_hold_lost_checkpoints(store, name) for name in leftovers):
        for name in leftovers:
            store.transport.remove(name)
        return []
    for name in leftovers:
        os.rename(
            os.path.join(store.layout.packs, name), os.path.join(store.layout.quarantine, name)
        )
    return [f"{len(leftovers)} packs that are not in the catalogue were moved to quarantine/"]


def orphans(store: Store) -> list[str]:
    """Return the packs that the catalogue does not name."""
    # Files first: a pack committed between the two reads is then found in the catalogue.
    present = sorted(store.transport.names())
    named = {row[0] for row in store.database.execute("SELECT name FROM packs")}
    return [name for name in present if name not in named]


def unknown_records(store: Store, name: str) -> list[CheckpointId]:
    """Return the checkpoints in a pack that have no row in the catalogue."""
    found = []
    for part in survey(store.transport, name):
        if not isinstance(part, Flaw):
            for place in part.frame.entries:
                identifier = CheckpointId(place.identifier)
                if place.kind == ObjectType.RECORD and not store.checkpoints.is_known(identifier):
                    found.append(identifier)
    return found


def _may_hold_lost_checkpoints(store: Store, name: str) -> bool:
    """Return whether a pack holds unknown checkpoints, or may because it is damaged."""
    is_damaged = any(isinstance(part, Flaw) for part in survey(store.transport, name))
    return is_damaged or bool(unknown_records(store, name))


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except (IsADirectoryError, PermissionError):  # work directory of a story worker
        from shutil import rmtree  # only after a crash

        rmtree(path, ignore_errors=True)


def _tmp_paths(store: Store) -> list[str]:
    try:
        return [os.path.join(store.layout.tmp, name) for name in os.listdir(store.layout.tmp)]
    except FileNotFoundError:
        return []
