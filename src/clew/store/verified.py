"""Deduplication that does not trust: an object counts as stored only if its bytes are there.

A save that has an object in hand, and finds a row for it, reads the frame that holds it and proves its
checksums: cheap beside reading the file itself, because nothing is unpacked or hashed.  An object
whose frame is damaged or gone counts as unknown, so the save writes it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from clew.errors import ObjectCorrupt
from clew.model.ids import ObjectId
from clew.store.frame import read_frame, verify_stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.store.index import Index
    from clew.store.reader import Location
    from clew.store.transport import Transport


class VerifiedObjects:
    """The objects of a store whose bytes are as they were written; each frame is read once."""

    def __init__(
        self, transport: Transport, index: Index, report: Callable[[str, int], None]
    ) -> None:
        self._transport = transport
        self._index = index
        self._report = report
        self._frames: dict[tuple[str, int], bool] = {}

    def known(self, identifiers: Iterable[ObjectId]) -> set[ObjectId]:
        """Return those of `identifiers` that are in the store and can be had."""
        located = self._index.locate_many(list(identifiers))
        return {identifier for identifier, place in located.items() if self.is_intact(place)}

    def is_intact(self, place: Location) -> bool:
        """Tell whether the bytes at a place are what was written there."""
        key = (place.pack, place.frame)
        found = self._frames.get(key)
        if found is None:
            found = self._frames[key] = self._is_intact(*key)
        return found

    def _is_intact(self, pack: str, offset: int) -> bool:
        try:
            frame = read_frame(self._transport, pack, offset)
            verify_stored(self._transport, pack, frame)
        except ObjectCorrupt:
            self._report(pack, offset)
            return False
        return True
