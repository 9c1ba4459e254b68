"""Rows of a SQLite table as they are stored: which of them differ between pages that changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from struct import unpack_from

from clew.detectors.databases.sqlite_pages import Damaged, Pages, varint


class StoredRows:
    """The rows in some leaves of a table with rowids."""

    def __init__(self, pages: Pages, numbers: Sequence[int]) -> None:
        self.rows: Counter[tuple[int, int, bytes]] = Counter()
        """Rowid, size and stored bytes."""
        self.is_whole = True
        """No row has a part in another page, which is not compared."""
        for number in numbers:
            self.rows.update(self._cells(pages, number))

    def without(self, other: StoredRows) -> int:
        """Return how many of these rows the other pages do not have."""
        return (self.rows - other.rows).total()

    def _cells(self, pages: Pages, number: int) -> Iterator[tuple[int, int, bytes]]:
        page = pages.page(number)
        start = 100 if number == 1 else 0
        cells: int = unpack_from(">H", page, start + 3)[0]
        if start + 8 + 2 * cells > pages.size:
            raise Damaged
        for pointer in unpack_from(f">{cells}H", page, start + 8):
            size, at = varint(page, pointer)
            rowid, at = varint(page, at)
            kept = size if size <= pages.usable - 35 else _kept(pages.usable, size)
            self.is_whole = self.is_whole and kept == size
            yield rowid, size, page[at : at + kept]


def _kept(usable: int, size: int) -> int:
    """Return how much of a long row is stored in its own page."""
    least = (usable - 12) * 32 // 255 - 23
    kept = least + (size - least) % (usable - 4)
    return kept if kept <= usable - 35 else least
