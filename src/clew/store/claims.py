"""Claims: which process of a save stores an object that several of them come across.

A table of ids in memory shared across fork.  Whoever writes an id into it first will store the
object, and if that process fails the whole save fails, so a claim is always kept.
Two processes that claim at the same instant both store it, which costs bytes and nothing else:
a slot is only believed when all 32 bytes of the id stand in it.
"""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew.model.ids import ObjectId

_SLOTS = 1 << 17
_ID = 32
_PROBES = 4
_EMPTY = bytes(_ID)


class Claims:
    """Made before the fork; until then every claim is granted."""

    def __init__(self) -> None:
        self._table: mmap.mmap | None = None

    def share(self) -> None:
        """Begin to share: to be called right before forking."""
        if self._table is None:
            self._table = mmap.mmap(-1, _SLOTS * _ID)

    def claim(self, identifier: ObjectId) -> bool:
        """Tell whether this process shall store the object."""
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
        return True  # crowded: store it again rather than look further
