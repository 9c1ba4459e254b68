"""Purge: removes every byte that only deleted checkpoints held, even across a crash.

One meta row records that a purge has begun, another one its objects.  Both are written in the
transaction of the deletion, and deleted when everything is removed and the search found nothing; a
command that opens the store in between finishes the purge (`operations/maintenance/purge.py`).

Objects are recorded by the first 8 bytes of their ids: enough to identify them, and short enough for
a checkpoint of a million files.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from clew.errors import ObjectCorrupt, StoreFull
from clew.model.ids import CheckpointId, ObjectId, StateId, short
from clew.model.named_tuple import NamedTuple
from clew.store.frame import PACK_HEADER, read_pack
from clew.store.store import PURGING, Store
from clew.store.survey import Flaw, survey
from clew.store.transport import LocalTransport, Transport

if TYPE_CHECKING:
    from clew.model.record import Record
    from clew.monitor import Monitor

_OBJECTS = "purging-objects"
_PREFIX = 8
_SQLITE_FILES = ("catalog.db-wal", "catalog.db-shm")
_LOG_TRIES, _LOG_PAUSE = 50, 0.1
_PRAISONAI_DIGITS = 12
"""`clew.compat.praisonai` creates directories with names of this length, with a README in each."""


class Targets:
    """The objects that a purge removes."""

    def __init__(self, prefixes: set[bytes] | None) -> None:
        self._prefixes = prefixes
        """None if unknown: then every object that the catalogue does not name is a target."""

    @property
    def are_known(self) -> bool:
        return self._prefixes is not None

    def select(self, identifiers: Iterable[ObjectId]) -> list[ObjectId]:
        """Return the `identifiers` that are targets; a checkpoint may still need them."""
        if self._prefixes is None:
            return list(identifiers)
        return [one for one in identifiers if one[:_PREFIX] in self._prefixes]


class Search(NamedTuple):
    """The result of a search of the store."""

    files: int
    read_bytes: int
    """Total size of the files searched."""
    remaining: tuple[str, ...]
    """One sentence for each place that still holds removed data."""
    not_searched: tuple[str, ...]
    """Names at the top of the store that do not belong to clew."""


def begin_purge(store: Store, objects: Iterable[ObjectId] | None = None) -> None:
    """Record that a purge has begun; inside the transaction of the deletion.

    `objects` are the objects of the deleted checkpoints; None if they cannot be determined.
    """
    prefixes = {one[:_PREFIX] for one in objects} if objects is not None else None
    if store.is_purge_unfinished and prefixes is not None:
        before = _prefixes(store)
        prefixes = None if before is None else prefixes | before
    store.database.execute("INSERT OR REPLACE INTO meta VALUES (?, 1)", (PURGING,))
    store.database.execute("DELETE FROM meta WHERE key = ?", (_OBJECTS,))
    if prefixes is not None:
        store.database.execute(
            "INSERT INTO meta VALUES (?, ?)", (_OBJECTS, b"".join(sorted(prefixes)))
        )


def end_purge(store: Store) -> None:
    """Record that the purge is complete."""
    with store.database.transaction():
        for key in (PURGING, _OBJECTS):
            store.database.execute("DELETE FROM meta WHERE key = ?", (key,))


def targets_of(store: Store) -> Targets:
    """Return the objects of the unfinished purge."""
    return Targets(_prefixes(store))


def forget_rows(store: Store, identifier: CheckpointId, record: Record) -> None:
    """Delete data about a checkpoint from other rows; inside the transaction that deletes it."""
    execute = store.database.execute
    _delete_verdicts(store, record.state)
    # The story of a later checkpoint compared with this one contains its data.
    execute("DELETE FROM stories WHERE since = ?", (identifier,))
    # `forked from 1234abcd (what the author said)`
    prefix = f"forked from {short(identifier)}"
    execute(
        "UPDATE labels SET intent = ? WHERE substr(intent, 1, ?) = ?",
        (prefix, len(prefix) + 2, f"{prefix} ("),
    )
    if record.position.session:
        execute(
            "DELETE FROM touched WHERE session = ? AND sequence = ?",
            (record.position.session, record.sequence),
        )


def _delete_verdicts(store: Store, state: StateId) -> None:
    """Delete the verdicts of a state, unless a remaining checkpoint has it."""
    store.database.execute(
        "DELETE FROM verdicts WHERE state = ?1 AND NOT EXISTS"
        " (SELECT 1 FROM checkpoints WHERE state = ?1 AND deleted IS NULL)",
        (state,),
    )


def clear_spool(store: Store) -> None:
    """Remove spooled verdicts of deleted checkpoints."""
    for spooled in store.spool.waiting():
        if store.checkpoints.get(spooled.checkpoint) is None:
            store.spool.remove(spooled)


def clear_caches(store: Store) -> None:
    """Remove the worktree caches, which hold file names; the next save creates them again."""
    for name in os.listdir(store.layout.cache):
        _unlink(os.path.join(store.layout.cache, name))


def clear_quarantine(store: Store, targets: Targets) -> list[str]:
    """Remove quarantined files, except intact packs that hold no purged objects.

    No checkpoint needs them: gc has just found every object that checkpoints need.
    """
    layout = store.layout
    transport = LocalTransport(layout.quarantine, layout.tmp)
    removed = [
        name
        for name in sorted(os.listdir(layout.quarantine))
        if not _is_clean(store, transport, name, targets)
    ]
    transport.close()
    for name in removed:
        os.unlink(os.path.join(layout.quarantine, name))
    if not removed:
        return []
    what = "1 file" if len(removed) == 1 else f"{len(removed)} files"
    return [f"{what} in quarantine/ held purged objects or could not be searched; deleted too"]


def rewrite_catalogue(store: Store, monitor: Monitor) -> list[str]:
    """Rewrite the catalogue without free pages and log; return what prevented it."""
    try:
        store.database.execute("VACUUM")
    except StoreFull:
        return ["Cannot rewrite catalog.db: not enough space for a copy"]
    return truncate_log(store, monitor)


def truncate_log(store: Store, monitor: Monitor) -> list[str]:
    """Truncate the write-ahead log; return a message if a reader prevents it."""
    with store.locks.exclusive(monitor):
        for _ in range(_LOG_TRIES):
            row = store.database.one("PRAGMA wal_checkpoint(TRUNCATE)")
            if row is None or not row[0]:
                return []
            time.sleep(_LOG_PAUSE)  # SQLite does not wait for another process that checkpoints it
    return ["catalog.db-wal is being read by another process"]


def search(store: Store, targets: Targets) -> Search:
    """Search every file of the store for removed data."""
    files = size = 0
    foreign: list[str] = []
    for directory, folders, names in os.walk(store.layout.root):
        top = os.path.relpath(directory, store.layout.root).partition(os.sep)[0]
        if top == ".":
            foreign += _foreign_names(store, (*folders, *names))
        for name in names:
            try:
                size += os.lstat(os.path.join(directory, name)).st_size
            except FileNotFoundError:
                continue  # removed by another process
            files += 1
    remaining = (*_in_packs(store, targets), *_in_catalogue(store))
    return Search(files, size, remaining, tuple(foreign))


def packs_left(store: Store, targets: Targets) -> list[str]:
    """Return the packs that hold purged objects that no checkpoint needs."""
    return [name for name in sorted(store.transport.names()) if _holds_purged(store, name, targets)]


def _in_packs(store: Store, targets: Targets) -> Iterator[str]:
    for name in packs_left(store, targets):
        yield f"packs/{name} still holds removed objects"
    transport = LocalTransport(store.layout.quarantine, store.layout.tmp)
    try:
        for name in sorted(os.listdir(store.layout.quarantine)):
            if not _is_clean(store, transport, name, targets):
                yield f"quarantine/{name} may hold removed objects"
    finally:
        transport.close()


def _in_catalogue(store: Store) -> Iterator[str]:
    tables = [
        table
        for table in ("labels", "meta_values", "stories", "drills", "failures", "looks")
        if store.database.one(
            f"SELECT 1 FROM {table} WHERE checkpoint IN"
            " (SELECT id FROM checkpoints WHERE deleted IS NOT NULL) LIMIT 1"
        )
    ]
    if tables:
        yield f"catalog.db still says something of a deleted checkpoint: {', '.join(tables)}"


def _holds_purged(store: Store, name: str, targets: Targets) -> bool:
    """Return whether a pack holds purged objects; packs of a running save are ignored."""
    if not targets.are_known and not _is_named(store, name):
        return False
    try:
        for _, frame in read_pack(store.transport, name):
            selected = targets.select(place.identifier for place in frame.entries)
            if len(store.index.known(selected)) < len(set(selected)):
                return True
    except ObjectCorrupt:
        return os.path.exists(os.path.join(store.layout.packs, name))
    return False


def _is_named(store: Store, name: str) -> bool:
    return store.database.one("SELECT 1 FROM packs WHERE name = ?", (name,)) is not None


def _is_clean(store: Store, transport: Transport, name: str, targets: Targets) -> bool:
    """Return whether a quarantined file is an intact pack without purged objects."""
    if not targets.are_known or transport.read(name, 0, len(PACK_HEADER)) != PACK_HEADER:
        return False
    for part in survey(transport, name):
        if isinstance(part, Flaw):
            return False
        selected = targets.select(place.identifier for place in part.frame.entries)
        if len(store.index.known(selected)) < len(set(selected)):
            return False
    return True


def _foreign_names(store: Store, names: Iterable[str]) -> Iterator[str]:
    """Yield the names at the top of the store that do not belong to clew."""
    places = [one for one in vars(store.layout).values() if isinstance(one, str)]
    ours = {os.path.relpath(one, store.layout.root).partition(os.sep)[0] for one in places}
    for name in names:
        is_praisonai = len(name) == _PRAISONAI_DIGITS and not name.strip("0123456789abcdef")
        if name not in ours and name not in _SQLITE_FILES and not is_praisonai:
            yield name


def _prefixes(store: Store) -> set[bytes] | None:
    row = store.database.one("SELECT value FROM meta WHERE key = ?", (_OBJECTS,))
    if row is None:
        return None
    return {row[0][at : at + _PREFIX] for at in range(0, len(row[0]), _PREFIX)}


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
