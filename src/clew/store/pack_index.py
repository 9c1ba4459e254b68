"""The index as the packs give it, to be laid beside the one in the catalogue.

Kept as plain bytes in heaps by the first byte of the id: about 50 bytes an object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import Struct

from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.store.database import Database
from clew.store.frame import FrameEntry

_LINE = Struct("<32sBIIII")
_HEAPS = 256
_ABOVE = b"\xff" * 32  # longer than what is left of an id, so above every one of them


class ObjectPlace(NamedTuple):
    """Where an object is, as a row of the catalogue or the table of a frame says it."""

    identifier: ObjectId
    kind: int
    pack: int
    frame: int
    position: int
    length: int


class PackIndex:
    """Every object in every pack, second copies included."""

    def __init__(self) -> None:
        self._heaps = [bytearray() for _ in range(_HEAPS)]

    def add(self, pack: int, frame: int, places: Iterable[FrameEntry]) -> None:
        """Add what the table of a frame says."""
        for kind, identifier, position, length in places:
            line = _LINE.pack(identifier, kind, pack, frame, position, length)
            self._heaps[identifier[0]] += line

    def beside(self, database: Database) -> Iterator[tuple[list[ObjectPlace], set[ObjectPlace]]]:
        """Yield, heap by heap, what the catalogue says and what the packs hold."""
        for number, heap in enumerate(self._heaps):
            low, high = bytes([number]), bytes([number]) + _ABOVE
            rows = database.execute(
                "SELECT id, kind, pack, frame, position, length FROM objects"
                " WHERE id BETWEEN ? AND ?",
                (low, high),
            )
            held = {ObjectPlace._make(line) for line in _LINE.iter_unpack(heap)}
            yield [ObjectPlace._make(row) for row in rows], held

    def holds(self, identifier: ObjectId) -> bool:
        """Tell whether any pack holds an object."""
        heap = self._heaps[identifier[0]]
        return any(line[0] == identifier for line in _LINE.iter_unpack(heap))
