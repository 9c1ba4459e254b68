"""Salvage of the annotations: from a damaged catalogue, then from the backup.

Every row on a page with a valid checksum is copied: a table is read forward from its start to the
damage, and backward from its end.  If a table is not fully readable, rows from the backup are added.
An unfinished restore is taken only from the catalogue: finishing one from an hour-old backup would
undo later work.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from clew.errors import ClewError, StoreDamaged
from clew.model.named_tuple import NamedTuple
from clew.store import schema
from clew.store.database import Database, Row
from clew.store.layout import Layout

_CATALOGUE_ONLY = ("restores", "opened")


class Salvaged(NamedTuple):
    """Data read from the old catalogue and the backup."""

    generation: int | None
    """Of the old catalogue; None if it cannot be read."""
    purging: bool
    """Whether a purge was interrupted."""
    is_old: bool
    """Whether checkpoints came from the backup, which lacks the latest deletions."""
    packs: frozenset[str] | None
    """The packs that the old catalogue names; None unless it is fully readable."""
    notes: tuple[str, ...]


def salvage(layout: Layout, target: Database) -> Salvaged:
    """Fill the empty annotation tables of `target`."""
    meta: dict[str, int] = {}
    packs: frozenset[str] | None = None
    incomplete = schema.tables_of(schema.VERSION)
    with _opened(layout.catalog) as source:
        if source is not None:
            meta = _read_meta(source)
            incomplete = schema.tables_of(_version(source))
            incomplete = [table for table in incomplete if not _copy_table(source, target, table)]
            packs = _pack_names(source) if not incomplete else None
    return Salvaged(
        meta.get("generation"),
        "purging" in meta,
        "checkpoints" in incomplete,
        packs,
        _from_backup(layout, target, incomplete) if incomplete else (),
    )


def _from_backup(layout: Layout, target: Database, tables: list[str]) -> tuple[str, ...]:
    with _opened(layout.backup, writable=False) as source:
        if source is None:
            return (f"Lost, for want of a backup: {', '.join(tables)}",)
        known = schema.tables_of(_version(source))
        for table in tables:
            if table in known and table not in _CATALOGUE_ONLY:
                _copy_table(source, target, table)
    return (f"Filled in from the backup: {', '.join(tables)}",)


@contextmanager
def _opened(path: str, *, writable: bool = True) -> Iterator[Database | None]:
    """Yield the database, or None if it is missing, damaged, or has an unknown version.

    Other errors propagate: on a full disk, for example, an intact catalogue cannot be opened either,
    and must not be treated as lost.
    """
    database: Database | None = None
    try:
        if os.path.exists(path):
            database = Database(path, writable=writable)
            if not 1 <= _version(database) <= schema.VERSION:
                database.close()
                database = None
    except StoreDamaged:
        database = None
    try:
        yield database
    finally:
        if database is not None:
            with suppress(ClewError):
                database.close()


def _version(database: Database) -> int:
    row = database.one("PRAGMA user_version")
    return int(row[0]) if row else 0


def _pack_names(source: Database) -> frozenset[str] | None:
    try:
        return frozenset(row[0] for row in source.execute("SELECT name FROM packs"))
    except StoreDamaged:
        return None


def _read_meta(source: Database) -> dict[str, int]:
    try:
        rows = source.execute("SELECT key, value FROM meta WHERE key IN ('generation', 'purging')")
    except StoreDamaged:
        return {}
    return {key: int(value) for key, value in rows}


def _copy_table(source: Database, target: Database, table: str) -> bool:
    """Copy the readable rows of a table, and return whether that is all of them."""
    columns = target.execute(f"PRAGMA table_info({table})")
    key = [column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5]]
    up, down = (", ".join(f"{name} {order}" for name in key) for order in ("ASC", "DESC"))
    # Columns by name: an older version of the table may have fewer.
    names = ", ".join(column[1] for column in source.execute(f"PRAGMA table_info({table})"))
    into = f"{table} ({names})"
    is_complete = _copy_rows(
        source.stream(f"SELECT {names} FROM {table} ORDER BY {up}"), target, into
    )
    if not is_complete:
        _copy_rows(source.stream(f"SELECT {names} FROM {table} ORDER BY {down}"), target, into)
    return is_complete


def _copy_rows(rows: Iterable[Row], target: Database, into: str) -> bool:
    readable: list[Row] = []
    is_complete = True
    try:
        for row in rows:
            readable.append(row)
    except StoreDamaged:
        is_complete = False
    if readable:
        placeholders = ",".join("?" * len(readable[0]))
        with target.transaction():
            target.execute_many(f"INSERT OR IGNORE INTO {into} VALUES ({placeholders})", readable)
    return is_complete
