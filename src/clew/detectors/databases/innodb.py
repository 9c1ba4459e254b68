"""InnoDB files: how many rows a table file has, and which tablespace it is.

The leaves of the first index are the table.  A row that was deleted stays in its page, marked, until
the server purges it; such rows are not counted.
While the server runs, pages in memory may be newer, so every number is an estimate.
"""

from __future__ import annotations

from struct import unpack_from

from clew.detectors.databases.sampling import Rows, evenly, rounded
from clew.detectors.detector import ContentReader
from clew.model.named_tuple import NamedTuple

_SPACE, _FLAGS = 34, 54
_FULL_CRC = 0x10
_ENCRYPTED = 0x2000
_INDEX = 17855
_NOTHING = 0xFFFFFFFF
_HEADER = 74
_FIRST, _LAST = 3, 10
"""Pages in which the root of the first index is looked for."""
_COMPACT = 0x8000
_DELETED, _LEAST = 0x20, 0x10
_COUNTED = 16 << 20
"""Files up to this size are read; of larger ones some pages."""
_SAMPLED = 96


class _Page(NamedTuple):
    """The header of an index page."""

    before: int
    after: int
    level: int
    tree: int


def tablespace(reader: ContentReader) -> int:
    """Return the number of a tablespace, which a renamed table keeps; zero if unknown."""
    header = reader.read(0, 64)
    return int(unpack_from(">I", header, _SPACE)[0]) if len(header) == 64 else 0


def count_rows(reader: ContentReader) -> Rows | None:
    """Return about how many rows a table file has; None if it is compressed, encrypted or none."""
    size = _page_size(reader.read(0, 64))
    pages = reader.size // size if size else 0
    index = _first_index(reader, size) if pages > _FIRST else 0
    if not index:
        return None
    if reader.size > _COUNTED:
        chosen = evenly(range(pages), _SAMPLED)
        rows = sum(_rows_of_leaf(reader.read(number * size, size), index) for number in chosen)
        return Rows(rounded(rows * pages // len(chosen)), is_estimate=True)
    content = reader.read(0, pages * size)
    rows = sum(
        _rows_of_leaf(content[number * size : (number + 1) * size], index)
        for number in _leaves(content, size, index)
    )
    return Rows(rows, is_estimate=True)


def _page_size(header: bytes) -> int:
    """Return the size of a page, or 0 if its pages cannot be read."""
    if len(header) < 64:
        return 0
    (flags,) = unpack_from(">I", header, _FLAGS)
    if flags & _FULL_CRC:  # MariaDB since 10.5
        is_plain = not flags >> 5 & 7
        exponent = flags & 15
    else:
        is_plain = not flags >> 1 & 15 and not flags & _ENCRYPTED
        exponent = flags >> 6 & 15 or 5
    return 512 << exponent if is_plain and 3 <= exponent <= 7 else 0


def _first_index(reader: ContentReader, size: int) -> int:
    """Return the number of the index that is the table."""
    for number in range(_FIRST, _LAST):
        page = _parsed(reader.read(number * size, _HEADER))
        if page is not None:
            return page.tree
    return 0


def _parsed(header: bytes) -> _Page | None:
    if len(header) < _HEADER or unpack_from(">H", header, 24)[0] != _INDEX:
        return None
    before, after = unpack_from(">II", header, 8)
    level, index = unpack_from(">HQ", header, 64)
    return _Page(before, after, level, index)


def _leaves(content: bytes, size: int, index: int) -> list[int]:
    """Return the pages of the longest chain of leaves; pages that were freed may look like some."""
    found: dict[int, _Page] = {}
    for number in range(len(content) // size):
        page = _parsed(content[number * size : number * size + _HEADER])
        if page is not None and page.tree == index and page.level == 0:
            found[number] = page
    chains = [_chain(start, found) for start, page in found.items() if page.before == _NOTHING]
    return max(chains, key=len, default=[])


def _chain(start: int, pages: dict[int, _Page]) -> list[int]:
    chain = [start]
    while len(chain) <= len(pages):
        following = pages[chain[-1]].after
        if following not in pages or pages[following].before != chain[-1]:
            break
        chain.append(following)
    return chain


def _rows_of_leaf(page: bytes, index: int) -> int:
    """Return how many rows of a leaf are not deleted."""
    header = _parsed(page[:_HEADER])
    if header is None or header.tree != index or header.level:
        return 0
    (heap,) = unpack_from(">H", page, 42)
    is_compact = bool(heap & _COMPACT)
    flags_at, at, end = (5, 99, 112) if is_compact else (6, 101, 116)
    rows = 0
    for _ in range(heap & ~_COMPACT):
        (following,) = unpack_from(">H", page, at - 2)
        at = (at + following) & 0xFFFF if is_compact else following
        if at == end or not end < at < len(page):
            break
        rows += not page[at - flags_at] & (_DELETED | _LEAST)
    return rows
