"""Garbage collection: free what no checkpoint needs."""

from __future__ import annotations

from clew.model.results import GcResult
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.copies.copies import drop_copies
from clew.operations.forks.directories import sweep_directories
from clew.operations.maintenance.purge import finish_purge
from clew.store.gc import gc
from clew.store.purge import begin_purge
from clew.store.store import Store


def collect(context: Context, monitor: Monitor, *, purge: bool = False) -> GcResult:
    """Collect the whole store; takes its own locks, so the caller holds none.

    With `purge`, everything that no checkpoint needs is erased, the quarantine included.
    """
    store = context.store
    notes = drop_caches(store)
    found = _purge(store, monitor, purge) if purge or store.is_purge_unfinished else None
    found = found or gc(store, monitor)
    return found._replace(notes=(*found.notes, *notes))


def _purge(store: Store, monitor: Monitor, begins: bool) -> GcResult | None:
    """Start a purge or finish one that was cut short; None if another process has just done so."""
    with store.locks.purging(monitor):
        if begins and not store.is_purge_unfinished:
            with store.database.transaction():
                begin_purge(store)
        if not store.is_purge_unfinished:
            return None
        purged = finish_purge(store, monitor)
    return purged.collected._replace(notes=purged.notes, remaining=purged.remaining)


def drop_caches(store: Store) -> list[str]:
    """Remove unused copies, and what crashes left of copies and forks."""
    store.require_writable()
    sweep_directories(store)
    number = drop_copies(store)
    what = "1 cached copy was" if number == 1 else f"{number} cached copies were"
    return [f"{what} removed"] if number else []
