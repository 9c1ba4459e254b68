"""Purge: erase the bytes of deleted checkpoints, and finish a purge that was cut short.

    copies, caches, scratch   everything made from the checkpoints is removed
    packs                     a collection leaves no dead byte
    quarantine, spool         data set aside, and verdicts not yet written
    catalogue, backup         rewritten, their logs emptied
    search                    every file of the store is searched before success is reported

Each step can be repeated.  The row that records the purge is removed last.
"""

from __future__ import annotations

import os

from clew.model.named_tuple import NamedTuple
from clew.model.results import GcResult, Searched
from clew.monitor import Monitor
from clew.operations.copies.copies import drop_copies
from clew.operations.copies.copy_cache import Slots
from clew.store.backup import backup
from clew.store.gc import gc
from clew.store.mark import live_records
from clew.store.purge import (
    Targets,
    clear_caches,
    clear_quarantine,
    clear_spool,
    end_purge,
    packs_left,
    rewrite_catalogue,
    search,
    targets_of,
    truncate_log,
)
from clew.store.store import Store
from clew.worktree.remove_tree import remove_tree

_TRIES = 3


class Purged(NamedTuple):
    """The result of a purge."""

    collected: GcResult
    searched: Searched
    remaining: tuple[str, ...]
    """What could not be removed, one sentence each."""
    notes: tuple[str, ...]


def finish_purge(store: Store, monitor: Monitor) -> Purged:
    """Erase the bytes, then search for them.

    The caller holds the lock of purges (`Locks.purging`) and no other.
    """
    targets = targets_of(store)
    drop_copies(store)
    _clear_scratch(store, monitor)
    collected = _collect(store, targets, monitor)
    notes = list(collected.notes)
    with store.locks.collecting(monitor):
        clear_caches(store)
        clear_spool(store)
        notes += clear_quarantine(store, targets)
    in_the_way = rewrite_catalogue(store, monitor)
    with store.locks.shared(monitor):  # or a collection would sweep it
        backup(store)
    found = search(store, targets)
    remaining = (*found.remaining, *_copies_left(store), *in_the_way)
    if not in_the_way:
        # What is left is in use by a process, or needs a person; repeating the purge before the next
        # command would not help.
        end_purge(store)
        truncate_log(store, monitor)
    notes += [
        f"{name} is not a file of the store and was not searched" for name in found.not_searched
    ]
    return Purged(collected, Searched(found.files, found.read_bytes), remaining, tuple(notes))


def _collect(store: Store, targets: Targets, monitor: Monitor) -> GcResult:
    """Collect until nothing is left to erase: a save may use a pack again meanwhile."""
    collected = gc(store, monitor, purge=True)
    for _ in range(_TRIES):
        if not packs_left(store, targets):
            break
        again = gc(store, monitor, purge=True)
        collected = GcResult(
            collected.freed_bytes + again.freed_bytes,
            collected.removed_objects + again.removed_objects,
            collected.removed_packs + again.removed_packs,
            again.store_bytes,
            again.notes,
        )
    return collected


def _clear_scratch(store: Store, monitor: Monitor) -> None:
    """Remove directories that killed processes left in `tmp/`; the collection sweeps files."""
    with store.locks.exclusive(monitor), os.scandir(store.layout.tmp) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                remove_tree(os.fsencode(store.layout.tmp), os.fsencode(entry.name))


def _copies_left(store: Store) -> list[str]:
    """Report copies of deleted checkpoints that are in use."""
    slots = Slots(store.layout.copies).all()
    if not slots:
        return []
    live = {record.tree for _, record in live_records(store)}
    return [
        f"copies/{slot.name} is in use by another command, which removes it when it ends"
        for slot in slots
        if (about := slot.about) is None or about.tree not in live
    ]
