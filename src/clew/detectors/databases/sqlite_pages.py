"""Pages of a SQLite database: how many rows a table has, and which of its pages changed.

A table is a tree of pages; the header of each leaf has the number of its rows.
So counting reads the pages above the leaves and a few bytes of each leaf, and nothing at all where
both versions of the database share what is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct, unpack_from
from typing import TYPE_CHECKING

from clew.detectors.databases.sampling import evenly, rounded
from clew.model.named_tuple import NamedTuple

if TYPE_CHECKING:
    from clew.detectors.databases.sqlite_vfs import SnapshotFile

_INDEX_INTERIOR, _TABLE_INTERIOR, _INDEX_LEAF, _TABLE_LEAF = 2, 5, 10, 13
_HEADER = Struct(">BHHHBI")
_CHILD = Struct(">I")
_FRAME = Struct(">I20x")
_WAL_HEADER = 32
_DEPTH = 24
_INTERIOR = 128
"""How many pages of one level above the leaves are read; of more, that many are sampled."""
_MOST_LEAVES = 200_000
_SAMPLED = 40
_BLOCK = 256 << 10
"""Leaves are read in blocks."""

_Headers = tuple[bytes, bytes, bytes]


class Known:
    """What was read of stored runs; both versions of a database share it."""

    def __init__(self) -> None:
        self.headers: dict[object, _Headers] = {}
        """The headers of the pages in a block, by the runs in which it is stored."""
        self.children: dict[object, list[int]] = {}
        """The pages below a page, by the runs in which it is stored."""
        self.leaves: dict[object, tuple[int, int]] = {}
        """The header of a single page, in the same way."""


class Damaged(Exception):
    """Pages of a table are not those of a table."""


class Leaves(NamedTuple):
    """The leaves of a table."""

    root: int
    numbers: tuple[int, ...]
    share: float = 1.0
    """How many leaves each of them stands for; above one, they are a sample."""
    above: float = 0.0
    """Rows in the pages above, in a table without rowids."""
    is_index: bool = False
    """A table without rowids is stored as an index."""

    @property
    def is_complete(self) -> bool:
        return self.share == 1.0


class Pages:
    """The pages of one version of a database."""

    def __init__(
        self, main: SnapshotFile, wal: SnapshotFile | None, frames: int, known: Known
    ) -> None:
        """`frames` is the number of valid frames of the write-ahead log."""
        self._main = main
        self._wal = wal
        self._known = known
        header = main.read(0, 100)
        self.size = _page_size(header)
        self.usable = self.size - header[20]
        self.count = max(main.size // self.size, 1)
        self._framed = self._frames(frames)

    def page(self, number: int) -> bytes:
        """Return a page, from the write-ahead log if it is there."""
        file, at = self._place(number)
        content = file.read(at, self.size)
        if len(content) < self.size:
            raise Damaged
        return content

    def leaves(self, root: int) -> Leaves:
        """Return the leaves of the table with a root page."""
        level: Sequence[int] = [root]
        share, above = 1.0, 0.0
        for _ in range(_DEPTH):
            kind = self._header(level[0])[0]
            if kind in (_TABLE_LEAF, _INDEX_LEAF):
                return Leaves(root, tuple(level), share, above, kind == _INDEX_LEAF)
            if kind not in (_TABLE_INTERIOR, _INDEX_INTERIOR):
                raise Damaged
            chosen = evenly(level, _INTERIOR)
            share *= len(level) / len(chosen)
            children = [child for number in chosen for child in self._children(number, kind)]
            above += share * (len(children) - len(chosen)) if kind == _INDEX_INTERIOR else 0
            # each page is in one place only; pages that refer to each other would seem endless
            is_twice = share == 1.0 and len(set(children)) < len(children)
            if is_twice or len(children) * share > 2 * self.count + 2:
                raise Damaged
            level = evenly(children, _MOST_LEAVES)
            share *= len(children) / len(level)
        raise Damaged

    def cells(self, leaves: Leaves) -> int:
        """Return how many rows all these leaves have."""
        kind = _INDEX_LEAF if leaves.is_index else _TABLE_LEAF
        return sum(self._cells_of(sorted(leaves.numbers), kind))

    def sampled_rows(self, leaves: Leaves) -> int:
        """Return about how many rows there are, from a few leaves."""
        chosen = evenly(leaves.numbers, _SAMPLED)
        kind = _INDEX_LEAF if leaves.is_index else _TABLE_LEAF
        cells = sum(self._one(number, kind) for number in chosen)
        whole = leaves.share * len(leaves.numbers) * cells / len(chosen) + leaves.above
        dense = self._span(leaves)
        return dense if dense and abs(whole - dense) < dense / 20 else rounded(round(whole))

    def changed(self, leaves: Leaves, other: Pages, others: Leaves) -> list[int]:
        """Return the leaves that another version does not have in the same place."""
        known = set(others.numbers)
        same: dict[int, bool] = {}
        found = []
        for number in leaves.numbers:
            if number in known:
                block = (number - 1) * self.size // _BLOCK
                if block not in same:
                    same[block] = self._is_same_block(block, other)
                is_plain = number not in self._framed and number not in other._framed
                if (same[block] and is_plain) or self._has_same(number, other):
                    continue
            found.append(number)
        return found

    def _has_same(self, number: int, other: Pages) -> bool:
        """Return whether both versions have the same page."""
        file, at = self._place(number)
        others, place = other._place(number)
        if self.size != other.size:
            return False
        runs = () if file.is_written or others.is_written else file.reader.runs(at, self.size)
        if runs and runs == others.reader.runs(place, self.size):
            return True
        return file.read(at, self.size) == others.read(place, self.size)

    def _is_same_block(self, number: int, other: Pages) -> bool:
        if self._main.is_written or other._main.is_written or self.size != other.size:
            return False
        first, second = (
            pages._main.reader.runs(number * _BLOCK, _BLOCK + self.size) for pages in (self, other)
        )
        return bool(first) and first == second

    # reading

    def _place(self, number: int) -> tuple[SnapshotFile, int]:
        frame = self._framed.get(number)
        if frame is not None and self._wal is not None:
            return self._wal, frame
        if not 0 < number <= self.count:
            raise Damaged
        return self._main, (number - 1) * self.size

    def _frames(self, frames: int) -> dict[int, int]:
        """Return where the write-ahead log has the last version of each page."""
        if self._wal is None or not frames:
            return {}
        step = self.size + _FRAME.size
        found: dict[int, int] = {}
        for at in range(_WAL_HEADER, _WAL_HEADER + frames * step, step):
            header = self._wal.read(at, _FRAME.size)
            if len(header) == _FRAME.size:
                found[_FRAME.unpack(header)[0]] = at + _FRAME.size
        self.count = max(self.count, max(found, default=0))
        return found

    def _header(self, number: int) -> tuple[int, int]:
        """Return the kind of a page, and how many cells it has."""
        file, at = self._place(number)
        runs = () if file.is_written else file.reader.runs(at, self.size)
        found = self._known.leaves.get(runs) if runs else None
        if found is None:
            header = file.read(at + (100 if number == 1 else 0), 5)
            if len(header) < 5:
                raise Damaged
            kind, _, cells = unpack_from(">BHH", header)
            found = kind, cells
            if runs and number > 1:
                self._known.leaves[runs] = found
        return found

    def _one(self, number: int, kind: int) -> int:
        found, cells = self._header(number)
        if found != kind:
            raise Damaged
        return cells

    def _children(self, number: int, kind: int) -> list[int]:
        file, at = self._place(number)
        runs = () if file.is_written else file.reader.runs(at, self.size)
        found = self._known.children.get(runs) if runs else None
        if found is None:
            found = self._read_children(number, kind)
            if runs:
                self._known.children[runs] = found
        return found

    def _read_children(self, number: int, kind: int) -> list[int]:
        page = self.page(number)
        start = 100 if number == 1 else 0
        found, _, cells, _, _, last = _HEADER.unpack_from(page, start)
        end = start + _HEADER.size + 2 * cells
        if found != kind or end > self.size:
            raise Damaged
        pointers = unpack_from(f">{cells}H", page, start + _HEADER.size)
        if pointers and not end <= min(pointers) <= max(pointers) <= self.size - 4:
            raise Damaged
        return [*(_CHILD.unpack_from(page, pointer)[0] for pointer in pointers), last]

    def _cells_of(self, numbers: Sequence[int], kind: int) -> Iterator[int]:
        """Yield the number of cells of leaves, in blocks where the file has them."""
        at, headers = -1, (b"", b"", b"")
        for number in numbers:
            if self._main.is_written or number in self._framed or self.size > _BLOCK // 4:
                yield self._one(number, kind)
                continue
            block, index = divmod((number - 1) * self.size, _BLOCK)
            if block != at:
                at, headers = block, self._block(block)
            index //= self.size
            if index >= len(headers[2]) or (headers[0][index] != kind and number > 1):
                raise Damaged
            yield (headers[1][index] << 8) + headers[2][index] if number > 1 else self._one(1, kind)

    def _block(self, number: int) -> _Headers:
        at = number * _BLOCK
        runs = self._main.reader.runs(at, _BLOCK)
        headers = self._known.headers.get(runs) if runs else None
        if headers is None:
            content = self._main.read(at, _BLOCK)
            headers = content[:: self.size], content[3 :: self.size], content[4 :: self.size]
            if runs:
                self._known.headers[runs] = headers
        return headers

    def _span(self, leaves: Leaves) -> int:
        """Return how many rowids lie between the first and the last, or 0 without rowids."""
        if leaves.is_index:
            return 0
        first, last = (self._rowids(self._edge(leaves.root, end)) for end in (0, -1))
        return last[1] - first[0] + 1 if first and last else 0

    def _edge(self, number: int, end: int) -> int:
        """Return the first or the last leaf."""
        for _ in range(_DEPTH):
            if self._header(number)[0] != _TABLE_INTERIOR:
                break
            number = self._children(number, _TABLE_INTERIOR)[end]
        return number

    def _rowids(self, number: int) -> tuple[int, int] | None:
        """Return the first and last rowid of a leaf."""
        page = self.page(number)
        start = 100 if number == 1 else 0
        cells = unpack_from(">H", page, start + 3)[0]
        if not cells or start + 8 + 2 * cells > self.size:
            return None
        ends = (
            unpack_from(">H", page, start + 8)[0],
            unpack_from(">H", page, start + 6 + 2 * cells)[0],
        )
        first, last = (varint(page, varint(page, pointer)[1])[0] for pointer in ends)
        return first, last


def varint(content: bytes, at: int) -> tuple[int, int]:
    """Return a variable-length integer and the offset behind it."""
    value = 0
    for end in range(at, at + 8):
        if end >= len(content):
            raise Damaged
        byte = content[end]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, end + 1
    if at + 8 >= len(content):
        raise Damaged
    value = value << 8 | content[at + 8]
    return value - (1 << 64) if value >> 63 else value, at + 9


def _page_size(header: bytes) -> int:
    if len(header) < 100:
        raise Damaged
    size: int = unpack_from(">H", header, 16)[0]
    size = 65536 if size == 1 else size
    if size < 512 or size & (size - 1):
        raise Damaged
    return size
