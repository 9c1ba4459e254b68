"""Repacking: the survivors of some packs are copied into new ones, then the old ones are let go.

The order is what makes it safe: the new packs are durable before one transaction points to them,
and the old ones are removed after it.  A crash leaves the old places or the new ones, both whole.
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
    """A pack as gc sees it."""

    number: int
    name: str
    size: int
    rows: int = 0
    """Objects that the catalogue says are in it."""
    live_rows: int = 0
    raw_bytes: int = 0
    live_bytes: int = 0

    @property
    def live_share(self) -> float:
        return self.live_bytes / self.raw_bytes if self.raw_bytes else float(bool(self.live_rows))


class Copied(NamedTuple):
    """What a batch of packs held, its survivors copied and durable, nothing committed yet."""

    writer: ObjectWriter
    moved: list[ObjectId]
    dropped: list[ObjectId]


def copy_survivors(store: Store, packs: Sequence[Pack], live: set[ObjectId]) -> Copied:
    """Copy the live objects of `packs` into new packs; the caller commits or aborts."""
    copied = Copied(ObjectWriter(store.transport, lambda _: set()), [], [])
    try:
        for pack in packs:
            _copy_pack(store, pack, live, copied)
        copied.writer.finish()
    except BaseException:
        copied.writer.abort()
        raise
    return copied


def commit_move(store: Store, packs: Sequence[Pack], copied: Copied) -> None:
    """Point to the new packs and forget the old ones, in one transaction."""
    database = store.database
    with database.transaction():
        database.execute_many(
            "DELETE FROM objects WHERE id = ?",
            [(identifier,) for identifier in (*copied.moved, *copied.dropped)],
        )
        store.index.add(copied.writer.packs, copied.writer.rows)
        _forget_packs(store, packs)
    store.settle(copied.writer)


def commit_drop(store: Store, packs: Sequence[Pack], live: set[ObjectId]) -> list[Pack]:
    """Forget packs that hold nothing live, in one transaction; return those that really did not."""
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
            _forget_packs(store, dropped)
    return dropped


def _forget_packs(store: Store, packs: Sequence[Pack]) -> None:
    """Remove the rows of packs; caches may name what they held, so the generation changes."""
    store.database.execute_many(
        "DELETE FROM packs WHERE id = ?", [(pack.number,) for pack in packs]
    )
    store.database.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")


def remove_files(store: Store, packs: Sequence[Pack]) -> None:
    """Remove pack files that the catalogue has forgotten."""
    store.index.forget()
    store.objects.forget()
    for pack in packs:
        store.transport.remove(pack.name)


def _copy_pack(store: Store, pack: Pack, live: set[ObjectId], copied: Copied) -> None:
    seen = 0
    for offset, frame in read_pack(store.transport, pack.name):
        held = _located_here(store, pack, offset, frame)
        seen += len(held)
        survivors = [place for place in held if place.identifier in live]
        copied.dropped.extend(place.identifier for place in held if place.identifier not in live)
        if survivors:
            _copy_frame(store, pack, frame, survivors, copied)
    if seen != pack.rows:  # a row that points elsewhere would be left pointing nowhere
        raise StoreDamaged(f"The catalogue is wrong about what is in {pack.name}")


def _copy_frame(
    store: Store, pack: Pack, frame: Frame, survivors: list[FrameEntry], copied: Copied
) -> None:
    raw = read_payload(store.transport, pack.name, frame)
    for kind, identifier, position, length in survivors:
        if copied.writer.put(kind, raw[position : position + length]) != identifier:
            raise ObjectCorrupt(f"{pack.name} at {frame.payload_offset}")
        copied.moved.append(identifier)


def _located_here(store: Store, pack: Pack, offset: int, frame: Frame) -> list[FrameEntry]:
    """Return what of a frame the catalogue points to: a copy elsewhere may be the one in use."""
    places: dict[ObjectId, tuple[int, int, int]] = {}
    for start in range(0, len(frame.places), _BATCH):
        batch = [place.identifier for place in frame.places[start : start + _BATCH]]
        marks = ",".join("?" * len(batch))
        rows = store.database.execute(
            f"SELECT id, pack, frame, position FROM objects WHERE id IN ({marks})", batch
        )
        places.update((row[0], row[1:]) for row in rows)
    return [
        place
        for place in frame.places
        if places.get(place.identifier) == (pack.number, offset, place.position)
    ]
