"""Salvaging the annotations: from a catalogue that is damaged, then from the backup.

Every row that stands on a page with a good checksum is taken: a table is read from its start up to
the damage, and from its end back to it.  Where a table could not be read whole, the backup fills
in what it knows.  A restore that had begun is only believed from the catalogue: finishing one of
an hour ago would undo what was done since.
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

_ONLY_NOW = ("restores", "opened")


class Salvaged(NamedTuple):
    """What the old catalogue and the backup gave."""

    generation: int | None
    """Of the old catalogue; None where it cannot be read."""
    purging: bool
    """Whether a purge was cut short."""
    is_old: bool
    """Whether checkpoints came from the backup, which does not know the latest deletions."""
    packs: frozenset[str] | None
    """The packs that the old catalogue names; None unless it could be read whole."""
    notes: tuple[str, ...]


def salvage(layout: Layout, target: Database) -> Salvaged:
    """Fill the annotation tables of `target`, which are empty."""
    about: dict[str, int] = {}
    packs: frozenset[str] | None = None
    lacking = schema.tables_of(schema.VERSION)
    with _opened(layout.catalog) as source:
        if source is not None:
            about = _about(source)
            lacking = schema.tables_of(_version(source))
            lacking = [table for table in lacking if not _take(source, target, table)]
            packs = _pack_names(source) if not lacking else None
    return Salvaged(
        about.get("generation"),
        "purging" in about,
        "checkpoints" in lacking,
        packs,
        _from_backup(layout, target, lacking) if lacking else (),
    )


def _from_backup(layout: Layout, target: Database, tables: list[str]) -> tuple[str, ...]:
    with _opened(layout.backup, writable=False) as source:
        if source is None:
            return (f"Lost, for want of a backup: {', '.join(tables)}",)
        known = schema.tables_of(_version(source))
        for table in tables:
            if table in known and table not in _ONLY_NOW:
                _take(source, target, table)
    return (f"Filled in from the backup: {', '.join(tables)}",)


@contextmanager
def _opened(path: str, *, writable: bool = True) -> Iterator[Database | None]:
    """Give the database if it is one of ours and not damaged beyond opening.

    Only damage makes it None: on a full disk, say, a good catalogue cannot be opened either, and
    would be taken for a lost one.
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


def _about(source: Database) -> dict[str, int]:
    try:
        rows = source.execute("SELECT key, value FROM meta WHERE key IN ('generation', 'purging')")
    except StoreDamaged:
        return {}
    return {key: int(value) for key, value in rows}


def _take(source: Database, target: Database, table: str) -> bool:
    """Copy what can be read of a table and tell whether that is all of it."""
    columns = target.execute(f"PRAGMA table_info({table})")
    key = [column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5]]
    up, down = (", ".join(f"{name} {order}" for name in key) for order in ("ASC", "DESC"))
    # By name: an older version of the table may have fewer columns.
    names = ", ".join(column[1] for column in source.execute(f"PRAGMA table_info({table})"))
    into = f"{table} ({names})"
    whole = _copy(source.stream(f"SELECT {names} FROM {table} ORDER BY {up}"), target, into)
    if not whole:
        _copy(source.stream(f"SELECT {names} FROM {table} ORDER BY {down}"), target, into)
    return whole


def _copy(rows: Iterable[Row], target: Database, into: str) -> bool:
    taken: list[Row] = []
    whole = True
    try:
        for row in rows:
            taken.append(row)
    except StoreDamaged:
        whole = False
    if taken:
        marks = ",".join("?" * len(taken[0]))
        with target.transaction():
            target.execute_many(f"INSERT OR IGNORE INTO {into} VALUES ({marks})", taken)
    return whole
