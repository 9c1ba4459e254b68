"""Object claims: decide which process of a parallel save stores an object.

A hash table of ids in memory shared across fork.  The first process to write an id stores the object;
if that process fails, the whole save fails, so every claim is fulfilled.
Two processes that claim at the same time may both store the object, which only costs space: a slot is
valid only when it holds all 32 bytes of the id.
"""

from __future__ import annotations

import mmap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.ids import ObjectId

_SLOTS = 1 << 17
_ID = 32
_PROBES = 4
_EMPTY = bytes(_ID)


class Claims:
    """Created before the fork; until `share` is called, every claim is granted."""

    def __init__(self) -> None:
        self._table: mmap.mmap | None = None

    def share(self) -> None:
        """Allocate the shared table; call right before forking."""
        if self._table is None:
            self._table = mmap.mmap(-1, _SLOTS * _ID)

    def claim(self, identifier: ObjectId) -> bool:
        """Return whether this process must store the object."""
        table = self._table
        if table is None:
            return True
        slot = int.from_bytes(identifier[:4], "little")
        for probe in range(_PROBES):
            at = ((slot + probe) % _SLOTS) * _ID
            held = table[at : at + _ID]
            if held == identifier:
                return False
            if held == _EMPTY:
                table[at : at + _ID] = identifier
                return True
        return True  # all probed slots are taken: store a duplicate rather than probe further
