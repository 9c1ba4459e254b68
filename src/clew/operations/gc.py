"""Gc: frees what no checkpoint needs any more."""

from __future__ import annotations

from clew.model.results import GcResult
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.copies import drop_copies
from clew.operations.fork_places import sweep_places
from clew.operations.purging import finish_purge
from clew.store.gc import gc
from clew.store.store import Store


def collect(context: Context, monitor: Monitor) -> GcResult:
    """Collect the whole store; takes its own locks, so the caller holds none."""
    store = context.store
    notes = drop_caches(store)
    if store.is_purge_unfinished:
        purged = finish_purge(store, monitor)
        found = purged.collected._replace(notes=purged.notes)
        notes += [f"Not removed: {one}" for one in purged.remaining]
    else:
        found = gc(store, monitor)
    return found._replace(notes=(*found.notes, *notes))


def drop_caches(store: Store) -> list[str]:
    """Remove the copies that nobody uses, and what crashes left of copies and forks."""
    store.require_writable()
    sweep_places(store)
    number = drop_copies(store)
    what = "1 kept copy was" if number == 1 else f"{number} kept copies were"
    return [f"{what} dropped"] if number else []
