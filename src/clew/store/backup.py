"""Backup of the annotations: a second database, at most about an hour old.

Objects and records can be rebuilt from the packs.  Labels, verdicts, trails, deletions and settings
are only in the catalogue and in this copy.  It has the same tables, without rows for objects, and is
replaced as a whole.
"""

from __future__ import annotations

import os
import time

from clew.errors import ClewError, StoreDamaged
from clew.monitor import Monitor
from clew.store import schema
from clew.store.database import Database, as_uri
from clew.store.new_database import new_database, remove_database, replace_database
from clew.store.store import Store

MAX_AGE_NS = 3600 * 1_000_000_000


def backup(store: Store, monitor: Monitor | None = None) -> None:
    """Copy the annotations, and replace the backup when the copy is durable and verified.

    The store's shared lock is held, because gc sweeps `tmp/` under the exclusive one.
    """
    layout = store.layout
    temporary = os.path.join(layout.tmp, f"annotations-{os.urandom(8).hex()}.db")
    with store.locks.shared(monitor or Monitor()):
        _write(temporary, layout.catalog)
        try:
            replace_database(temporary, layout.backup)
        except OSError:
            remove_database(temporary)
            raise


def backup_if_due(store: Store) -> bool:
    """Back up if the last backup is too old, and return whether it did; errors are ignored."""
    if not store.writable:
        return False
    try:
        if not _is_due(store.layout.backup):
            return False
        backup(store)
    except (ClewError, OSError):
        return False
    return True


def _is_due(path: str) -> bool:
    try:
        age = time.time_ns() - os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return True
    return not 0 <= age < MAX_AGE_NS  # a negative age: the clock was set back


def _write(path: str, catalog: str) -> None:
    with new_database(path) as database:
        # Read-only: a write transaction would block concurrent saves.
        database.execute("ATTACH ? AS catalogue", (as_uri(catalog) + "?mode=ro",))
        with database.transaction():
            database.script(schema.ALL)
            for table in ("meta", *schema.ANNOTATION_TABLES):
                database.execute(f"INSERT INTO main.{table} SELECT * FROM catalogue.{table}")
                _require_all(database, table)
            database.script(f"PRAGMA main.user_version = {schema.VERSION}")
        database.execute("DETACH catalogue")


def _require_all(database: Database, table: str) -> None:
    """Compare the row count of the copy with the original, inside the same transaction."""
    counts = database.one(
        f"SELECT (SELECT count(*) FROM main.{table}), (SELECT count(*) FROM catalogue.{table})"
    )
    if counts is None or counts[0] != counts[1]:
        raise StoreDamaged(f"Table {table!r} was not copied into the backup whole: {counts}")
