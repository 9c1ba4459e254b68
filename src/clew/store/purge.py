"""Purging: no byte that only deleted checkpoints held is left, also when it is cut short.

A row says that a purge has begun; it goes in the transaction of the deletion and is taken away
when everything is done.  Whoever opens the store in between finishes it.
"""

from __future__ import annotations

from clew.model.results import GcResult
from clew.monitor import Monitor
from clew.store.backup import backup
from clew.store.gc import gc
from clew.store.store import PURGING, Store


def begin_purge(store: Store) -> None:
    """Remember that a purge has begun; inside the transaction of the deletion."""
    store.database.execute("INSERT OR REPLACE INTO meta VALUES (?, 1)", (PURGING,))


def finish_purge(store: Store, monitor: Monitor) -> GcResult:
    """Remove the bytes, then what the backup and the write-ahead log still say of them.

    Nobody may hold the store's lock in this process.
    """
    result = gc(store, monitor, purge=True)
    backup(store)
    store.database.execute("DELETE FROM meta WHERE key = ?", (PURGING,))
    store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return result
