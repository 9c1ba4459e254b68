"""Object index read from the packs, for comparison with the one in the catalogue.

Stored as packed bytes in buckets by the first byte of the id: about 50 bytes per object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import Struct

from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.store.database import Database
from clew.store.frame import FrameEntry

_ENTRY = Struct("<32sBIIII")
_BUCKETS = 256
_MAX_SUFFIX = b"\xff" * 32  # longer than the rest of an id, so it sorts after all of them


class ObjectPlace(NamedTuple):
    """The location of an object, from a catalogue row or the table of a frame."""

    identifier: ObjectId
    kind: int
    pack: int
    frame: int
    position: int
    length: int


class PackIndex:
    """Every object in every pack, duplicates included."""

    def __init__(self) -> None:
        self._buckets = [bytearray() for _ in range(_BUCKETS)]

    def add(self, pack: int, frame: int, places: Iterable[FrameEntry]) -> None:
        """Add the entries of a frame's table."""
        for kind, identifier, position, length in places:
            line = _ENTRY.pack(identifier, kind, pack, frame, position, length)
            self._buckets[identifier[0]] += line

    def compare_with(
        self, database: Database
    ) -> Iterator[tuple[list[ObjectPlace], set[ObjectPlace]]]:
        """Yield, for each bucket, the catalogue's rows and the packs' entries."""
        for number, bucket in enumerate(self._buckets):
            low, high = bytes([number]), bytes([number]) + _MAX_SUFFIX
            rows = database.execute(
                "SELECT id, kind, pack, frame, position, length FROM objects"
                " WHERE id BETWEEN ? AND ?",
                (low, high),
            )
            held = {ObjectPlace._make(line) for line in _ENTRY.iter_unpack(bucket)}
            yield [ObjectPlace._make(row) for row in rows], held

    def holds(self, identifier: ObjectId) -> bool:
        """Return whether any pack holds an object."""
        bucket = self._buckets[identifier[0]]
        return any(line[0] == identifier for line in _ENTRY.iter_unpack(bucket))
