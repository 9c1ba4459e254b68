"""Collecting: frees what no checkpoint needs, without ever needing twice the space.

    sweep    what crashes left over goes first: it costs nothing and gives room
    mark     what the checkpoints need, without the store's lock
    drop     packs that hold nothing live: rows, committed, then the files
    repack   packs that are mostly dead, and many small ones, some at a time

The lock is taken exclusively only around each transaction of rows.  Before it, whatever was saved
since is marked as well: an object that was dead may be needed again.
A purge leaves no dead byte behind; otherwise a pack that is mostly live stays as it is.
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
    copy_survivors,
    remove_files,
)
from clew.store.reserve import with_reserve
from clew.store.store import Store
from clew.store.sweep import has_litter, sweep

WORTH_KEEPING = 0.6
"""A pack with a smaller share of live bytes is repacked."""

WORTH_KEEPING_WHEN_SHORT = 0.98
"""The same where room is short: then almost every dead byte counts."""

SMALL_PACK = 4 << 20
SMALL_PACKS = 8
"""So many small packs are worth merging."""

BATCH_BYTES = 32 << 20
"""Survivors copied at a time: the most extra space that is ever needed."""

_TRIES = 3
_PAGE = 20_000
_WASTED = 0.25  # of the catalogue's pages
_IDLE = "collected"


def gc(store: Store, monitor: Monitor, *, purge: bool = False, thorough: bool = False) -> GcResult:
    """Free what no checkpoint needs; refuse, with nothing lost, when the store is damaged.

    With `thorough` packs with few dead bytes are repacked too: it takes longer, and frees more.
    """
    store.require_writable()
    with store.locks.collecting(monitor):
        return _Collection(store, monitor, purge, thorough=thorough).run()


def reclaimable_bytes(store: Store, without: set[CheckpointId]) -> int:
    """Estimate what a collection would free if some checkpoints were deleted."""
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
        self._least_share = WORTH_KEEPING_WHEN_SHORT if thorough else WORTH_KEEPING
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
                self._tidy_catalogue()
        finally:
            store.layout.refill_reserve()
        after = store.size()
        return GcResult(
            max(0, before - after), self._objects, self._packs, after, tuple(self._notes)
        )

    def _sweep(self) -> None:
        if has_litter(self._store):
            with self._store.locks.exclusive(self._monitor):
                self._notes += sweep(self._store)

    def _is_idle(self) -> bool:
        """Tell whether nothing was saved or deleted since a collection found nothing to do."""
        row = self._store.database.one("SELECT value FROM meta WHERE key = ?", (self._idle_key,))
        return row is not None and row[0] == self._condition()

    def _condition(self) -> str:
        row = self._store.database.one(
            "SELECT (SELECT count(*) FROM packs), (SELECT max(id) FROM packs),"
            " (SELECT count(*) FROM checkpoints WHERE deleted IS NOT NULL)"
        )
        return ":".join(map(str, row or ()))

    def _collect(self) -> None:
        condition = self._condition()
        packs = self._named_packs()  # before marking: what is saved from now on is not looked at
        self._marks.catch_up(self._store)
        self._monitor.progress("mark", len(self._marks.records), len(self._marks.records))
        packs = self._counted(packs)
        self._drop([pack for pack in packs if not pack.live_rows])
        chosen = self._chosen([pack for pack in packs if pack.live_rows])
        failure: StoreDamaged | None = None
        for batch in _batches(chosen):
            try:
                self._repack(batch)
            except StoreDamaged as error:
                failure = error  # these packs stay; the others can still be freed
                self._notes.append(f"Some packs were left as they are: {error}")
        if failure is not None and self._purge:
            raise failure
        if not self._packs and failure is None:
            self._store.database.execute(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", (self._idle_key, condition)
            )

    def _named_packs(self) -> list[Pack]:
        rows = self._store.database.execute("SELECT id, name, bytes FROM packs ORDER BY id")
        return [Pack(*row) for row in rows]

    def _counted(self, packs: list[Pack]) -> list[Pack]:
        """Return the packs with what is in them and what of it is live."""
        live = self._marks.objects
        rows, live_rows = Counter[int](), Counter[int]()
        raw_bytes, live_bytes = Counter[int](), Counter[int]()
        for identifier, number, length in _object_rows(self._store):
            rows[number] += 1
            raw_bytes[number] += length
            if identifier in live:
                live_rows[number] += 1
                live_bytes[number] += length
        if live_rows.total() != len(live):  # never delete on the word of a catalogue that forgets
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

    def _drop(self, doomed: list[Pack]) -> None:
        if not doomed:
            return

        def drop() -> list[Pack]:
            with self._store.locks.exclusive(self._monitor):
                self._marks.catch_up(self._store)
                return commit_drop(self._store, doomed, self._marks.objects)

        self._let_go(with_reserve(self._store.layout, drop))

    def _chosen(self, packs: list[Pack]) -> list[Pack]:
        """Return the packs to repack: mostly dead ones, and small ones if there are many."""
        if self._purge:
            return [pack for pack in packs if self._holds_dead_bytes(pack)]
        chosen = [pack for pack in packs if pack.live_share < self._least_share]
        small = [pack for pack in packs if pack.size < SMALL_PACK]
        if len(small) >= SMALL_PACKS:
            chosen += [pack for pack in small if pack.live_share >= self._least_share]
        return chosen

    def _holds_dead_bytes(self, pack: Pack) -> bool:
        """Look into the pack itself: it may hold what the catalogue has forgotten."""
        live = self._marks.objects
        return any(
            place.identifier not in live
            for _, frame in read_pack(self._store.transport, pack.name)
            for place in frame.places
        )

    def _repack(self, batch: list[Pack]) -> None:
        for _ in range(_TRIES):
            if with_reserve(self._store.layout, lambda: self._try_repack(batch)):
                self._let_go(batch)
                return
        self._notes.append("Some packs were left as they are, because saves kept needing them")

    def _try_repack(self, batch: list[Pack]) -> bool:
        """Move the survivors of a batch; not if something in it came back to life meanwhile."""
        copied = copy_survivors(self._store, batch, self._marks.objects)
        self._monitor.progress("copy", len(copied.moved), None)
        with self._store.locks.exclusive(self._monitor):
            self._marks.catch_up(self._store)
            if not self._marks.objects.isdisjoint(copied.dropped):
                copied.writer.abort()
                return False
            try:
                commit_move(self._store, batch, copied)
            except StoreFull:
                copied.writer.abort()
                raise
            # After any other failure the new packs stay: a commit that was not heard of may
            # still come to light, and a pack that nobody names is swept the next time.
        self._objects += len(copied.dropped)
        return True

    def _let_go(self, packs: Sequence[Pack]) -> None:
        remove_files(self._store, packs)
        self._packs += len(packs)
        self._objects += sum(pack.rows for pack in packs if not pack.live_rows)

    def _tidy_catalogue(self) -> None:
        """Give back the catalogue's own free pages, if they are many and there is room to."""
        database = self._store.database
        try:
            if self._is_wasteful():
                database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except StoreFull:
            self._notes.append("There was no room to make the catalogue smaller")

    def _is_wasteful(self) -> bool:
        sizes = [
            self._store.database.execute(f"PRAGMA {name}")[0][0]
            for name in ("freelist_count", "page_count", "page_size")
        ]
        free, pages, page_size = sizes
        space = os.statvfs(self._store.layout.root)
        # A copy of it is made twice: once beside it, once in the write-ahead log.
        room = space.f_bavail * space.f_frsize > 2 * pages * page_size
        return bool(free > _WASTED * pages and room)


def _object_rows(store: Store) -> Iterator[tuple[ObjectId, int, int]]:
    """Yield (id, pack, length) of all objects, some thousands at a time."""
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


def _batches(packs: list[Pack]) -> Iterator[list[Pack]]:
    """Group packs so that few survivors are copied at a time."""
    batch: list[Pack] = []
    size = 0
    for pack in packs:
        if batch and size + pack.live_bytes > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(pack)
        size += pack.live_bytes
    if batch:
        yield batch
