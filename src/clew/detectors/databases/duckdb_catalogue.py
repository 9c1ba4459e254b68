"""Catalogue of a DuckDB file: its tables, and how many rows they have.

The newer of two headers points to a chain of metadata blocks, in which tables are written as fields
with numbers.  Fields: 200 is the name of a table, 201 its columns, 102 its number of rows.
A catalogue that is encrypted, or of a format that nobody knows yet, has no tables for this reader.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct

from clew.detectors.detector import ContentReader
from clew.model.named_tuple import NamedTuple

_HEADERS = (4096, 8192)
_HEADER = Struct("<8xQQ16xQ")
"""A checksum; the number of the checkpoint; the catalogue; the free list; blocks; their size."""
_BLOCKS_AT = 3 * 4096
_BLOCK_SIZE = 256 << 10
_LARGEST_BLOCK = 4 << 20
_PARTS = 64
"""So many metadata blocks are in one block."""
_POINTER = Struct("<Q")
_NO_BLOCK = (1 << 64) - 1
_BLOCK_ID = (1 << 56) - 1
_MAX_PARTS = 512
"""How many metadata blocks are read: two megabytes."""
_MAX_TABLES = 2_000

_START = b"d\0"
_NAME, _COLUMNS = b"\xc8\0", b"\xc9\0d\0"
_END = b"\xff\xff\xff\xff"
_ROWS, _INDEXES = b"\xff\xfff\0", b"g\0"


class DuckTable(NamedTuple):
    """A table of the catalogue."""

    rows: int | None
    """With those that were deleted, until their place is freed."""
    columns: bytes
    """As they are written; equal for equal columns."""


def duckdb_tables(reader: ContentReader) -> dict[str, DuckTable] | None:
    """Return the tables of a file by name; None if its catalogue cannot be read."""
    catalogue = _catalogue(reader)
    if not catalogue.startswith(_START):
        return None
    found: dict[str, DuckTable] = {}
    starts = list(_names(catalogue))
    ends = [at for at, _ in starts[1:]] + [len(catalogue)]
    for (at, name), end in zip(starts, ends, strict=True):
        body = catalogue[at:end]
        found[name.decode("utf-8", "replace")] = DuckTable(_rows(body), body.partition(_END)[0])
    return found


def _catalogue(reader: ContentReader) -> bytes:
    """Return the bytes of the chain of metadata blocks."""
    headers = [reader.read(at, _HEADER.size) for at in _HEADERS]
    known = [_HEADER.unpack(one) for one in headers if len(one) == _HEADER.size]
    _, pointer, block_size = max(known, default=(0, _NO_BLOCK, 0))
    block_size = block_size or _BLOCK_SIZE
    if not _BLOCKS_AT <= block_size <= _LARGEST_BLOCK:
        return b""
    part_size = (block_size - _POINTER.size) // _PARTS & ~7
    parts: list[bytes] = []
    while pointer != _NO_BLOCK and len(parts) < _MAX_PARTS:
        start = _BLOCKS_AT + (pointer & _BLOCK_ID) * block_size + _POINTER.size
        part = reader.read(start + (pointer >> 56) * part_size, part_size)
        if len(part) < part_size:
            return b""
        (pointer,) = _POINTER.unpack_from(part)
        parts.append(part[_POINTER.size :])
    return b"".join(parts) if pointer == _NO_BLOCK else b""


def _names(catalogue: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield where the columns of each table begin, and its name."""
    at = catalogue.find(_NAME)
    left = _MAX_TABLES
    while at >= 0 and left:
        start = at + len(_NAME) + 1
        end = start + (catalogue[start - 1] if start <= len(catalogue) else 0)
        if end > start and catalogue.startswith(_COLUMNS, end):
            yield end, catalogue[start:end]
            left -= 1
        at = catalogue.find(_NAME, at + 1)


def _rows(body: bytes) -> int | None:
    """Return the number of rows, which is written after the columns and where the data is."""
    at = body.find(_ROWS)
    number = 0
    for place, byte in enumerate(body[at + len(_ROWS) : at + len(_ROWS) + 10] if at >= 0 else b""):
        number |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return number if body.startswith(_INDEXES, at + len(_ROWS) + place + 1) else None
    return None
