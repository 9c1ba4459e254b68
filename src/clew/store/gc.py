"""Garbage collection: frees unreachable objects, without ever needing twice the space.

    sweep    remove leftovers of crashes first: it costs nothing and frees space
    mark     mark the objects that checkpoints reach, without the store's lock
    drop     remove packs without live objects: commit the rows, then delete the files
    repack   rewrite packs that are mostly dead, and many small ones, in batches

The exclusive lock is held only around each transaction of rows.  Before it, checkpoints saved since
are marked too: an object that was dead may be needed again.
A purge removes every dead byte; otherwise a pack that is mostly live is not rewritten.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence

from clew.errors import ObjectMissing, StoreDamaged, StoreFull
from clew.model.ids import CheckpointId, ObjectId
from clew.model.results import GcResult
from clew.monitor import Monitor
from clew.store.frame import read_pack
from clew.store.mark import ReachableObjects, follower, live_records
from clew.store.repack import (
    Pack,
    commit_drop,
    commit_move,
    copy_live,
    remove_files,
)
from clew.store.reserve import with_reserve
from clew.store.store import Store
from clew.store.sweep import has_leftovers, sweep

MIN_LIVE_SHARE = 0.6
"""A pack with a smaller share of live bytes is repacked."""

MIN_LIVE_SHARE_WHEN_SHORT = 0.98
"""The same when space is short: then almost every dead byte matters."""

SMALL_PACK = 4 << 20

_TRIES = 3
_PAGE = 20_000
_VACUUM_SHARE = 0.25  # of the catalogue's pages
_IDLE = "collected"


def gc(store: Store, monitor: Monitor, *, purge: bool = False, thorough: bool = False) -> GcResult:
    """Free unreachable objects; raise, with nothing lost, if the store is damaged.

    With `thorough`, packs with few dead bytes are repacked too: slower, but frees more.
    """
    store.require_writable()
    with store.locks.collecting(monitor):
        return _Collection(store, monitor, purge, thorough=thorough).run()


def reclaimable_bytes(store: Store, without: set[CheckpointId]) -> int:
    """Estimate the bytes that gc would free if some checkpoints were deleted."""
    marks = ReachableObjects(follower(store.objects.get))
    for checkpoint, record in live_records(store, without):
        marks.add(checkpoint, record)
    total = dead = 0
    for identifier, _, length in _object_rows(store):
        total += length
        dead += length if identifier not in marks.objects else 0
    packed = store.database.one("SELECT coalesce(sum(bytes), 0) FROM packs")
    return dead * (packed[0] if packed else 0) // total if total else 0


class _Collection:
    def __init__(
        self, store: Store, monitor: Monitor, purge: bool, *, thorough: bool = False
    ) -> None:
        self._store = store
        self._monitor = monitor
        self._purge = purge
        self._min_live_share = MIN_LIVE_SHARE_WHEN_SHORT if thorough else MIN_LIVE_SHARE
        self._idle_key = f"{_IDLE} thoroughly" if thorough else _IDLE
        self._marks = ReachableObjects(follower(store.objects.get))
        self._notes: list[str] = []
        self._objects = 0
        self._packs = 0

    def run(self) -> GcResult:
        store = self._store
        before = store.size()
        try:
            self._sweep()
            if self._purge or not self._is_idle():
                self._collect()
            if self._packs or self._purge:
                self._shrink_catalogue()
        finally:
            store.layout.refill_reserve()
        after = store.size()
        return GcResult(
            max(0, before - after), self._objects, self._packs, after, tuple(self._notes)
        )

    def _sweep(self) -> None:
        if has_leftovers(self._store):
            with self._store.locks.exclusive(self._monitor):
                self._notes += sweep(self._store)

    def _is_idle(self) -> bool:
        """Return whether nothing was saved or deleted since gc last found nothing to do."""
        row = self._store.database.one("SELECT value FROM meta WHERE key = ?", (self._idle_key,))
        return row is not None and row[0] == self._fingerprint()

    def _fingerprint(self) -> str:
        row = self._store.database.one(
            "SELECT (SELECT count(*) FROM packs), (SELECT max(id) FROM packs),"
            " (SELECT count(*) FROM checkpoints WHERE deleted IS NOT NULL)"
        )
        return ":".join(map(str, row or ()))

    def _collect(self) -> None:
        fingerprint = self._fingerprint()
        packs = self._known_packs()  # before marking: packs saved from now on are not considered
        self._marks.add_new(self._store)
        self._monitor.progress("mark", len(self._marks.records), len(self._marks.records))
        packs = self._with_counts(packs)
        self._drop([pack for pack in packs if not pack.live_rows])
        chosen = self._to_repack([pack for pack in packs if pack.live_rows])
        failure: StoreDamaged | None = None
        for batch in _batches(chosen, self._store.layout.limits.batch_bytes):
            try:
                self._repack(batch)
            except StoreDamaged as error:
                failure = error  # skip these packs; others can still be freed
                self._notes.append(f"Some packs were left as they are: {error}")
        if failure is not None and self._purge:
            raise failure
        if not self._packs and failure is None:
            self._store.database.execute(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", (self._idle_key, fingerprint)
            )

    def _known_packs(self) -> list[Pack]:
        rows = self._store.database.execute("SELECT id, name, bytes FROM packs ORDER BY id")
        return [Pack(*row) for row in rows]

    def _with_counts(self, packs: list[Pack]) -> list[Pack]:
        """Return the packs with their total and live row and byte counts."""
        live = self._marks.objects
        rows, live_rows = Counter[int](), Counter[int]()
        raw_bytes, live_bytes = Counter[int](), Counter[int]()
        for identifier, number, length in _object_rows(self._store):
            rows[number] += 1
            raw_bytes[number] += length
            if identifier in live:
                live_rows[number] += 1
                live_bytes[number] += length
        if live_rows.total() != len(live):  # never delete based on a catalogue that has lost rows
            raise ObjectMissing(self._missing())
        return [
            pack._replace(
                rows=rows[pack.number],
                live_rows=live_rows[pack.number],
                raw_bytes=raw_bytes[pack.number],
                live_bytes=live_bytes[pack.number],
            )
            for pack in packs
        ]

    def _missing(self) -> ObjectId:
        wanted = sorted(self._marks.objects)
        known = self._store.index.known(wanted)
        return next(identifier for identifier in wanted if identifier not in known)

    def _drop(self, dead: list[Pack]) -> None:
        if not dead:
            return

        def drop() -> list[Pack]:
            with self._store.locks.exclusive(self._monitor):
                self._marks.add_new(self._store)
                return commit_drop(self._store, dead, self._marks.objects)

        self._remove(with_reserve(self._store.layout, drop))

    def _to_repack(self, packs: list[Pack]) -> list[Pack]:
        """Return the packs to repack: mostly dead ones, and small ones if there are many."""
        if self._purge:
            return [pack for pack in packs if self._holds_dead_bytes(pack)]
        chosen = [pack for pack in packs if pack.live_share < self._min_live_share]
        small = [pack for pack in packs if pack.size < SMALL_PACK]
        if len(small) >= self._store.layout.limits.small_packs:
            chosen += [pack for pack in small if pack.live_share >= self._min_live_share]
        return chosen

    def _holds_dead_bytes(self, pack: Pack) -> bool:
        """Return whether a pack holds dead objects; read from the pack, as rows may be missing."""
        live = self._marks.objects
        return any(
            place.identifier not in live
            for _, frame in read_pack(self._store.transport, pack.name)
            for place in frame.entries
        )

    def _repack(self, batch: list[Pack]) -> None:
        for _ in range(_TRIES):
            if with_reserve(self._store.layout, lambda: self._try_repack(batch)):
                self._remove(batch)
                return
        self._notes.append("Some packs were left as they are, because saves kept needing them")

    def _try_repack(self, batch: list[Pack]) -> bool:
        """Move the live objects of a batch; return False if a dropped one is needed again meanwhile."""
        copied = copy_live(self._store, batch, self._marks.objects)
        self._monitor.progress("copy", len(copied.moved), None)
        with self._store.locks.exclusive(self._monitor):
            self._marks.add_new(self._store)
            if not self._marks.objects.isdisjoint(copied.dropped):
                copied.writer.abort()
                return False
            try:
                commit_move(self._store, batch, copied)
            except StoreFull:
                copied.writer.abort()
                raise
            # After any other failure the new packs remain: the commit may have succeeded
            # unnoticed, and packs without a row are swept next time.
        self._objects += len(copied.dropped)
        return True

    def _remove(self, packs: Sequence[Pack]) -> None:
        remove_files(self._store, packs)
        self._packs += len(packs)
        self._objects += sum(pack.rows for pack in packs if not pack.live_rows)

    def _shrink_catalogue(self) -> None:
        """Free unused pages of the catalogue, if there are many and there is space for a copy."""
        database = self._store.database
        try:
            if self._should_vacuum():
                database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except StoreFull:
            self._notes.append("Not enough space to compact the catalogue")

    def _should_vacuum(self) -> bool:
        sizes = [
            self._store.database.execute(f"PRAGMA {name}")[0][0]
            for name in ("freelist_count", "page_count", "page_size")
        ]
        free, pages, page_size = sizes
        space = os.statvfs(self._store.layout.root)
        # VACUUM makes two copies: a temporary file, and the write-ahead log.
        has_space = space.f_bavail * space.f_frsize > 2 * pages * page_size
        return bool(free > _VACUUM_SHARE * pages and has_space)


def _object_rows(store: Store) -> Iterator[tuple[ObjectId, int, int]]:
    """Yield (id, pack, length) of all objects, read in pages."""
    last = b""
    while True:
        rows = store.database.execute(
            "SELECT id, pack, length FROM objects WHERE id > ? ORDER BY id LIMIT ?", (last, _PAGE)
        )
        for row in rows:
            yield row[0], row[1], row[2]
        if len(rows) < _PAGE:
            return
        last = rows[-1][0]


def _batches(packs: list[Pack], most: int) -> Iterator[list[Pack]]:
    """Group packs so that each batch copies at most `most` live bytes."""
    batch: list[Pack] = []
    size = 0
    for pack in packs:
        if batch and size + pack.live_bytes > most:
            yield batch
            batch, size = [], 0
        batch.append(pack)
        size += pack.live_bytes
    if batch:
        yield batch
