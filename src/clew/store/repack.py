"""Repacking: copies the live objects of packs to new ones, then removes the old packs.

The order makes it safe: the new packs are durable before one transaction points to them, and the old
ones are removed after it.  After a crash either the old or the new locations are valid and complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clew.errors import ObjectCorrupt, StoreDamaged
from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.store.frame import Frame, FrameEntry, read_pack, read_payload
from clew.store.writer import ObjectWriter

if TYPE_CHECKING:
    from clew.store.store import Store

_BATCH = 500


class Pack(NamedTuple):
    """A pack with its row and byte counts."""

    number: int
    name: str
    size: int
    rows: int = 0
    """Number of objects in it, according to the catalogue."""
    live_rows: int = 0
    raw_bytes: int = 0
    live_bytes: int = 0

    @property
    def live_share(self) -> float:
        return self.live_bytes / self.raw_bytes if self.raw_bytes else float(bool(self.live_rows))


class CopiedBatch(NamedTuple):
    """The result of copying a batch: live objects copied durably, nothing committed yet."""

    writer: ObjectWriter
    moved: list[ObjectId]
    dropped: list[ObjectId]


def copy_live(store: Store, packs: Sequence[Pack], live: set[ObjectId]) -> CopiedBatch:
    """Copy the live objects of `packs` into new packs; the caller commits or aborts."""
    copied = CopiedBatch(ObjectWriter(store.transport, lambda _: set()), [], [])
    try:
        for pack in packs:
            _copy_pack(store, pack, live, copied)
        copied.writer.finish()
    except BaseException:
        copied.writer.abort()
        raise
    return copied


def commit_move(store: Store, packs: Sequence[Pack], copied: CopiedBatch) -> None:
    """Add the rows of the new packs and delete those of the old ones, in one transaction."""
    database = store.database
    with database.transaction():
        database.execute_many(
            "DELETE FROM objects WHERE id = ?",
            [(identifier,) for identifier in (*copied.moved, *copied.dropped)],
        )
        store.index.add(copied.writer.packs, copied.writer.rows)
        _delete_rows(store, packs)
    store.mark_packs_committed(copied.writer)


def commit_drop(store: Store, packs: Sequence[Pack], live: set[ObjectId]) -> list[Pack]:
    """Delete the rows of packs without live objects, in one transaction; return these packs."""
    held: dict[int, list[ObjectId]] = {pack.number: [] for pack in packs}
    numbers = ",".join(map(str, held))
    for identifier, number in store.database.stream(
        f"SELECT id, pack FROM objects WHERE pack IN ({numbers})"
    ):
        held[number].append(identifier)
    dropped = [pack for pack in packs if live.isdisjoint(held[pack.number])]
    if dropped:
        with store.database.transaction():
            store.database.execute_many(
                "DELETE FROM objects WHERE id = ?",
                [(identifier,) for pack in dropped for identifier in held[pack.number]],
            )
            _delete_rows(store, dropped)
    return dropped


def _delete_rows(store: Store, packs: Sequence[Pack]) -> None:
    """Delete the rows of packs; increment the generation, as caches may name their objects."""
    store.database.execute_many(
        "DELETE FROM packs WHERE id = ?", [(pack.number,) for pack in packs]
    )
    store.database.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")


def remove_files(store: Store, packs: Sequence[Pack]) -> None:
    """Delete pack files that have no row any more."""
    store.index.forget()
    store.objects.forget()
    for pack in packs:
        store.transport.remove(pack.name)


def _copy_pack(store: Store, pack: Pack, live: set[ObjectId], copied: CopiedBatch) -> None:
    seen = 0
    for offset, frame in read_pack(store.transport, pack.name):
        held = _indexed_entries(store, pack, offset, frame)
        seen += len(held)
        live_entries = [entry for entry in held if entry.identifier in live]
        copied.dropped.extend(entry.identifier for entry in held if entry.identifier not in live)
        if live_entries:
            _copy_frame(store, pack, frame, live_entries, copied)
    if seen != pack.rows:  # otherwise a wrong row would point to a removed pack
        raise StoreDamaged(f"The catalogue is wrong about what is in {pack.name}")


def _copy_frame(
    store: Store, pack: Pack, frame: Frame, live_entries: list[FrameEntry], copied: CopiedBatch
) -> None:
    raw = read_payload(store.transport, pack.name, frame)
    for kind, identifier, position, length in live_entries:
        if copied.writer.put(kind, raw[position : position + length]) != identifier:
            raise ObjectCorrupt(f"{pack.name} at {frame.payload_offset}")
        copied.moved.append(identifier)


def _indexed_entries(store: Store, pack: Pack, offset: int, frame: Frame) -> list[FrameEntry]:
    """Return the entries of a frame that the index points to; others may have a copy elsewhere."""
    locations: dict[ObjectId, tuple[int, int, int]] = {}
    for start in range(0, len(frame.entries), _BATCH):
        batch = [entry.identifier for entry in frame.entries[start : start + _BATCH]]
        placeholders = ",".join("?" * len(batch))
        rows = store.database.execute(
            f"SELECT id, pack, frame, position FROM objects WHERE id IN ({placeholders})", batch
        )
        locations.update((row[0], row[1:]) for row in rows)
    return [
        entry
        for entry in frame.entries
        if locations.get(entry.identifier) == (pack.number, offset, entry.position)
    ]
