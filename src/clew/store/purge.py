"""Purging: no byte that only deleted checkpoints held is left, also when it is cut short.

A row says that a purge has begun, another one which objects it is about.  Both go in with the
transaction of the deletion and are taken away when everything was removed and looked for; whoever
opens the store in between finishes it (`operations/maintenance/purge.py`).

Objects are remembered by the first 8 bytes of their ids: enough to know them again, and short
enough for a checkpoint of a million files.
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
_SIDES = ("catalog.db-wal", "catalog.db-shm")
_LOG_TRIES, _LOG_PAUSE = 50, 0.1
_STAND_IN_DIGITS = 12
"""`clew.compat.praisonai` makes directories with names of so many digits, with a README in each."""


class Targets:
    """The objects that a purge is about."""

    def __init__(self, prefixes: set[bytes] | None) -> None:
        self._prefixes = prefixes
        """None where nobody knows: then any object that the catalogue does not name is one."""

    @property
    def are_known(self) -> bool:
        return self._prefixes is not None

    def chosen(self, identifiers: Iterable[ObjectId]) -> list[ObjectId]:
        """Return those of `identifiers` that are to go, unless a checkpoint needs them."""
        if self._prefixes is None:
            return list(identifiers)
        return [one for one in identifiers if one[:_PREFIX] in self._prefixes]


class Search(NamedTuple):
    """What a look through the store found."""

    files: int
    read_bytes: int
    """Length of all that was looked through."""
    remaining: tuple[str, ...]
    """What is still there and should not be, one sentence each."""
    not_searched: tuple[str, ...]
    """Names at the top of the store that are none of ours."""


def begin_purge(store: Store, objects: Iterable[ObjectId] | None = None) -> None:
    """Remember that a purge has begun; inside the transaction of the deletion.

    `objects` is what the deleted checkpoints hold; None where that cannot be told.
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
    """Say that everything was removed."""
    with store.database.transaction():
        for key in (PURGING, _OBJECTS):
            store.database.execute("DELETE FROM meta WHERE key = ?", (key,))


def targets_of(store: Store) -> Targets:
    """Return what the purge that has begun is about."""
    return Targets(_prefixes(store))


def forget_rows(store: Store, identifier: CheckpointId, record: Record) -> None:
    """Remove what rows besides its own say of a checkpoint; inside the transaction that buries it."""
    execute = store.database.execute
    _forget_verdicts(store, record.state)
    # What a later checkpoint changed since this one names what this one held.
    execute("DELETE FROM stories WHERE since = ?", (identifier,))
    # `forked from 1234abcd (what the author said)`
    said = f"forked from {short(identifier)}"
    execute(
        "UPDATE labels SET intent = ? WHERE substr(intent, 1, ?) = ?",
        (said, len(said) + 2, f"{said} ("),
    )
    if record.position.session:
        execute(
            "DELETE FROM touched WHERE session = ? AND sequence = ?",
            (record.position.session, record.sequence),
        )


def _forget_verdicts(store: Store, state: StateId) -> None:
    """Forget what was said of a state, unless a checkpoint that is left has it."""
    store.database.execute(
        "DELETE FROM verdicts WHERE state = ?1 AND NOT EXISTS"
        " (SELECT 1 FROM checkpoints WHERE state = ?1 AND deleted IS NULL)",
        (state,),
    )


def clear_spool(store: Store) -> None:
    """Remove verdicts on their way to checkpoints that are no more."""
    for spooled in store.spool.waiting():
        if store.checkpoints.get(spooled.checkpoint) is None:
            store.spool.remove(spooled)


def clear_caches(store: Store) -> None:
    """Remove the worktree caches, which name files; the next save makes them again."""
    for name in os.listdir(store.layout.cache):
        _forget(os.path.join(store.layout.cache, name))


def clear_quarantine(store: Store, targets: Targets) -> list[str]:
    """Remove what was set aside, except packs that are whole and hold nothing of the purge.

    No checkpoint needs any of it: a collection has just found everything that they need.
    """
    layout = store.layout
    transport = LocalTransport(layout.quarantine, layout.tmp)
    doomed = [
        name
        for name in sorted(os.listdir(layout.quarantine))
        if not _is_harmless(store, transport, name, targets)
    ]
    transport.close()
    for name in doomed:
        os.unlink(os.path.join(layout.quarantine, name))
    if not doomed:
        return []
    what = "1 file" if len(doomed) == 1 else f"{len(doomed)} files"
    return [f"{what} in quarantine/ held removed objects or could not be searched, and went too"]


def rewrite_catalogue(store: Store, monitor: Monitor) -> list[str]:
    """Write the catalogue anew, without free pages and without a log; return what is in the way."""
    try:
        store.database.execute("VACUUM")
    except StoreFull:
        return ["catalog.db could not be written anew: there is no room for a copy of it"]
    return truncate_log(store, monitor)


def truncate_log(store: Store, monitor: Monitor) -> list[str]:
    """Empty the write-ahead log, and say so where somebody who reads it prevents that."""
    with store.locks.exclusive(monitor):
        for _ in range(_LOG_TRIES):
            row = store.database.one("PRAGMA wal_checkpoint(TRUNCATE)")
            if row is None or not row[0]:
                return []
            time.sleep(_LOG_PAUSE)  # SQLite does not wait for another process that empties it
    return ["catalog.db-wal is being read by another process"]


def search(store: Store, targets: Targets) -> Search:
    """Look through every file of the store for what was removed."""
    files = size = 0
    strange: list[str] = []
    for directory, folders, names in os.walk(store.layout.root):
        top = os.path.relpath(directory, store.layout.root).partition(os.sep)[0]
        if top == ".":
            strange += _strangers(store, (*folders, *names))
        for name in names:
            try:
                size += os.lstat(os.path.join(directory, name)).st_size
            except FileNotFoundError:
                continue  # others are at work too
            files += 1
    remaining = (*_in_packs(store, targets), *_in_catalogue(store))
    return Search(files, size, remaining, tuple(strange))


def packs_left(store: Store, targets: Targets) -> list[str]:
    """Return the packs that hold objects which no checkpoint needs and which are to go."""
    return [name for name in sorted(store.transport.names()) if _dead_in(store, name, targets)]


def _in_packs(store: Store, targets: Targets) -> Iterator[str]:
    for name in packs_left(store, targets):
        yield f"packs/{name} still holds removed objects"
    transport = LocalTransport(store.layout.quarantine, store.layout.tmp)
    try:
        for name in sorted(os.listdir(store.layout.quarantine)):
            if not _is_harmless(store, transport, name, targets):
                yield f"quarantine/{name} may hold removed objects"
    finally:
        transport.close()


def _in_catalogue(store: Store) -> Iterator[str]:
    said = [
        table
        for table in ("labels", "meta_values", "stories")
        if store.database.one(
            f"SELECT 1 FROM {table} WHERE checkpoint IN"
            " (SELECT id FROM checkpoints WHERE deleted IS NOT NULL) LIMIT 1"
        )
    ]
    if said:
        yield f"catalog.db still says something of a deleted checkpoint: {', '.join(said)}"


def _dead_in(store: Store, name: str, targets: Targets) -> bool:
    """Tell whether a pack holds what is to go; what a save is just writing does not count."""
    if not targets.are_known and not _is_named(store, name):
        return False
    try:
        for _, frame in read_pack(store.transport, name):
            chosen = targets.chosen(place.identifier for place in frame.places)
            if len(store.index.known(chosen)) < len(set(chosen)):
                return True
    except ObjectCorrupt:
        return os.path.exists(os.path.join(store.layout.packs, name))
    return False


def _is_named(store: Store, name: str) -> bool:
    return store.database.one("SELECT 1 FROM packs WHERE name = ?", (name,)) is not None


def _is_harmless(store: Store, transport: Transport, name: str, targets: Targets) -> bool:
    """Tell whether a file that was set aside is a whole pack without anything that is to go."""
    if not targets.are_known or transport.read(name, 0, len(PACK_HEADER)) != PACK_HEADER:
        return False
    for part in survey(transport, name):
        if isinstance(part, Flaw):
            return False
        chosen = targets.chosen(place.identifier for place in part.frame.places)
        if len(store.index.known(chosen)) < len(set(chosen)):
            return False
    return True


def _strangers(store: Store, names: Iterable[str]) -> Iterator[str]:
    """Yield the names at the top that are none of ours."""
    places = vars(store.layout).values()
    ours = {os.path.relpath(one, store.layout.root).partition(os.sep)[0] for one in places}
    for name in names:
        is_stand_in = len(name) == _STAND_IN_DIGITS and not name.strip("0123456789abcdef")
        if name not in ours and name not in _SIDES and not is_stand_in:
            yield name


def _prefixes(store: Store) -> set[bytes] | None:
    row = store.database.one("SELECT value FROM meta WHERE key = ?", (_OBJECTS,))
    if row is None:
        return None
    return {row[0][at : at + _PREFIX] for at in range(0, len(row[0]), _PREFIX)}


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
