"""PostgreSQL heap files: the visible tuples of a relation, in a cluster that was shut down.

A tuple says which transactions inserted and deleted it; whether those were committed is in hint
bits of the tuple, or in `pg_xact`.
After a shutdown no transaction is in progress, so one without a verdict was aborted.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct, unpack_from

from clew.detectors.databases.sampling import Rows, evenly, rounded
from clew.detectors.detector import ContentReader, Tree
from clew.model.named_tuple import NamedTuple

PAGE = 8192
"""The size of a page; servers built with another one are not read."""

_PAGE_HEADER = Struct("<8xHHHHHHI")
"""Checksum, flags, lower, upper, special, size and layout version, prune hint."""
_HEADER_SIZE = 24
_LAYOUT = 4
_ALL_VISIBLE = 0x0004
_TUPLE = Struct("<II10xHHB")
"""Inserted by, deleted by, flags and number of attributes, flags, offset of the data."""
_HAS_OID = 0x0008
_XMAX_LOCK_ONLY = 0x0080
_XMIN_COMMITTED = 0x0100
_XMIN_INVALID = 0x0200
_XMAX_COMMITTED = 0x0400
_XMAX_INVALID = 0x0800
_XMAX_IS_MULTI = 0x1000
_NORMAL = 1
_SEGMENT = 1 << 20
"""Transactions in one file of `pg_xact`."""
_SEGMENT_BYTES = 256 << 10
_COMMITTED = (1, 3)
_FIRST_TRANSACTION = 3
_SAMPLED = 64
_FILES = 64
"""Files of one relation that are read, of 1 GiB each."""


class HeapTuple(NamedTuple):
    """A visible row."""

    data: bytes
    oid: int
    """From its header; zero since PostgreSQL 12, where it is the first column of a catalogue."""


class Transactions:
    """Which transactions were committed."""

    def __init__(self, tree: Tree, root: str) -> None:
        self._tree = tree
        self._directory = f"{root}/pg_xact" if root else "pg_xact"
        self._segments: dict[int, bytes | None] = {}

    def is_committed(self, transaction: int) -> bool:
        """Return whether a transaction was committed; one that is long forgotten was."""
        if transaction < _FIRST_TRANSACTION:
            return transaction > 0
        number, index = divmod(transaction, _SEGMENT)
        if number not in self._segments:
            path = f"{self._directory}/{number:04X}"
            self._segments[number] = self._tree.read(path, _SEGMENT_BYTES)
        segment = self._segments[number]
        if segment is None:
            return True
        byte = segment[index // 4] if index // 4 < len(segment) else 0
        return (byte >> index % 4 * 2) & 3 in _COMMITTED

    def sees(self, inserted: int, deleted: int, flags: int) -> bool:
        """Return whether a tuple is visible."""
        if not flags & _XMIN_COMMITTED:
            if flags & _XMIN_INVALID or not self.is_committed(inserted):
                return False
        if flags & (_XMAX_INVALID | _XMAX_LOCK_ONLY) or not deleted:
            return True
        if flags & (_XMAX_COMMITTED | _XMAX_IS_MULTI):
            return False  # of several transactions, one updated or deleted it
        return not self.is_committed(deleted)


def is_heap(page: bytes) -> bool:
    """Return whether the first page of a file is that of a table; indexes end in a special space."""
    if len(page) < _HEADER_SIZE:
        return False
    _, _, _, _, special, layout, _ = _PAGE_HEADER.unpack_from(page)
    return bool(special == PAGE and layout == PAGE | _LAYOUT)


def live_pointers(page: bytes) -> int:
    """Return how many tuples of a page nobody seems to have deleted."""
    number = 0
    for pointer in _normal_pointers(page):
        at = pointer & 0x7FFF
        if at + _TUPLE.size <= len(page):
            _, deleted, _, flags, _ = _TUPLE.unpack_from(page, at)
            number += not deleted or bool(flags & (_XMAX_INVALID | _XMAX_LOCK_ONLY))
    return number


def visible_tuples(content: bytes, transactions: Transactions) -> Iterator[HeapTuple]:
    """Yield the visible tuples of a whole file."""
    for start in range(0, len(content) - PAGE + 1, PAGE):
        page = content[start : start + PAGE]
        for pointer in _normal_pointers(page):
            at, length = pointer & 0x7FFF, pointer >> 17
            if at + length > PAGE or length < _TUPLE.size:
                continue
            inserted, deleted, _, flags, offset = _TUPLE.unpack_from(page, at)
            if transactions.sees(inserted, deleted, flags):
                oid = unpack_from("<I", page, at + offset - 4)[0] if flags & _HAS_OID else 0
                yield HeapTuple(page[at + offset : at + length], oid)


class Heap:
    """The files of one relation."""

    def __init__(self, tree: Tree, path: str) -> None:
        self._readers: list[ContentReader] = []
        for number in range(_FILES):
            reader = tree.reader(f"{path}.{number}" if number else path)
            if reader is None:
                break
            self._readers.append(reader)

    @property
    def exists(self) -> bool:
        return bool(self._readers)

    @property
    def size(self) -> int:
        return sum(reader.size for reader in self._readers)

    def count(self, transactions: Transactions, most: int) -> Rows:
        """Return how many rows are visible; all pages are read if they have at most `most` bytes."""
        pages = [
            (reader, number) for reader in self._readers for number in range(reader.size // PAGE)
        ]
        chosen = pages if self.size <= most else evenly(pages, _SAMPLED)
        rows = sum(
            _count_in(reader.read(number * PAGE, PAGE), transactions) for reader, number in chosen
        )
        if len(chosen) == len(pages):
            return Rows(rows)
        return Rows(rounded(round(rows * len(pages) / len(chosen))), is_estimate=True)


def _count_in(page: bytes, transactions: Transactions) -> int:
    pointers = _normal_pointers(page)
    if pointers and unpack_from("<H", page, 10)[0] & _ALL_VISIBLE:
        return len(pointers)
    number = 0
    for pointer in pointers:
        at = pointer & 0x7FFF
        if at + _TUPLE.size <= len(page):
            inserted, deleted, _, flags, _ = _TUPLE.unpack_from(page, at)
            number += transactions.sees(inserted, deleted, flags)
    return number


def _normal_pointers(page: bytes) -> list[int]:
    """Return the line pointers of a page that lead to tuples."""
    if len(page) < PAGE:
        return []
    _, _, lower, upper, special, layout, _ = _PAGE_HEADER.unpack_from(page)
    if layout != PAGE | _LAYOUT or not _HEADER_SIZE <= lower <= upper <= special <= PAGE:
        return []
    pointers = unpack_from(f"<{(lower - _HEADER_SIZE) // 4}I", page, _HEADER_SIZE)
    return [pointer for pointer in pointers if pointer >> 15 & 3 == _NORMAL]
