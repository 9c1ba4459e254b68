"""Verified deduplication: an object counts as stored only if its frame is intact.

A save that finds a row for an object reads the frame that holds it and verifies its checksums: cheap
compared with reading the file itself, because nothing is decompressed or hashed.  An object whose
frame is damaged or missing counts as unknown, so the save writes it again.
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
    """The intact objects of a store; each frame is read once."""

    def __init__(
        self, transport: Transport, index: Index, report: Callable[[str, int], None]
    ) -> None:
        self._transport = transport
        self._index = index
        self._report = report
        self._frames: dict[tuple[str, int], bool] = {}

    def known(self, identifiers: Iterable[ObjectId]) -> set[ObjectId]:
        """Return the `identifiers` that are stored intact."""
        located = self._index.locate_many(list(identifiers))
        return {identifier for identifier, location in located.items() if self.is_intact(location)}

    def is_intact(self, location: Location) -> bool:
        """Return whether the frame at a location is intact."""
        key = (location.pack, location.frame)
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
