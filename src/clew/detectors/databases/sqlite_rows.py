"""Rows of both versions of a SQLite database: counted, estimated, or compared where they changed.

A table whose pages and definition are the same is not counted at all.
Of the others, small ones come first.  What exceeds the budget is estimated from a few pages; the
difference between two versions is exact as long as the pages above the leaves can be read.
"""

from __future__ import annotations

from clew.detectors.databases.sampling import Rows
from clew.detectors.databases.sqlite_cells import StoredRows
from clew.detectors.databases.sqlite_limits import Budget, OutOfTime
from clew.detectors.databases.sqlite_pages import Damaged, Known, Leaves, Pages
from clew.detectors.databases.sqlite_reading import SqliteFile
from clew.detectors.databases.sqlite_schema import NOTHING, Schema

_COMPARED = 10_000
"""Tables with more rows are compared as they are stored."""
_MOST_CHANGED = 20_000
"""Leaves of a large table whose difference is counted."""
_SMALL = 4 << 20
"""Tables up to this size are counted even if their number of rows is the same."""

_ChangedLeaves = tuple[list[int], list[int]]


class Version:
    """One version of a database; empty if there is none."""

    def __init__(self, file: SqliteFile | None) -> None:
        self.file = file
        self.schema: Schema = file.schema() if file is not None else NOTHING
        self.rows: dict[str, Rows] = {}
        """Of the tables that differ, as far as they could be counted."""
        self.leaves: dict[str, Leaves] = {}
        self.damaged: list[str] = []
        """Tables whose rows cannot be counted."""
        self._pages: Pages | None = None

    @property
    def pages(self) -> Pages:
        assert self._pages is not None
        return self._pages

    def find_leaves(self, known: Known) -> None:
        """Read the pages above the leaves of all tables."""
        if self.file is None or not self.schema.tables:
            return
        self._pages = self.file.pages(known)
        for name, table in self.schema.tables.items():
            if table.root:
                try:
                    self.leaves[name] = self._pages.leaves(table.root)
                except Damaged:
                    self.damaged.append(name)

    def bytes_of(self, name: str) -> int:
        """Return the size of a table's leaves."""
        leaves = self.leaves.get(name)
        return round(len(leaves.numbers) * leaves.share) * self.pages.size if leaves else 0


class RowComparison:
    """The rows of two versions."""

    def __init__(self, old: Version, new: Version, budget: Budget) -> None:
        self._old = old
        self._new = new
        self._both = old, new
        self._budget = budget
        self._changed: dict[tuple[str, str], _ChangedLeaves] = {}

    def count(self) -> None:
        """Count the rows of tables that differ, as far as the budget goes."""
        known = Known()
        try:
            for version in self._both:
                version.find_leaves(known)
            names = {*self._old.leaves, *self._new.leaves}
            sizes = {name: self._size(name) for name in names if self._differs(name)}
            for name in sorted(sizes, key=lambda name: (sizes[name], name)):
                self._count_table(name, sizes[name])
        except OutOfTime:
            return  # what is not counted is told without a number

    def edited(self, old: str, new: str, *, is_thorough: bool = False) -> int | None:
        """Return how many rows of a table differ, or None if unknown.

        Without `is_thorough`, a table with the same leaves is taken for unchanged; the rest of a
        long row, which is in other pages, may still have been overwritten.
        """
        try:
            before, after = self._changed_leaves(old, new)
            if not before and not after and not is_thorough:
                return 0
            self._count_missing(old, new)
            was, now = self._old.rows.get(old), self._new.rows.get(new)
            if was and now and max(was.number, now.number) <= min(_COMPARED, self._budget.rows):
                self._budget.rows -= max(was.number, now.number)
                return self._compared(old, new)
            return self._compared_as_stored(old, new)
        except (Damaged, KeyError, OutOfTime):
            return None

    def _differs(self, name: str) -> bool:
        """Return whether a table differs in its definition or its leaves."""
        if any(name not in version.leaves for version in self._both) or self._is_redefined(name):
            return True
        if not all(version.leaves[name].is_complete for version in self._both):
            return True
        before, after = self._changed_leaves(name, name)
        return bool(before or after)

    def _size(self, name: str) -> int:
        """Return how many bytes of leaves must be read; what both versions share is read once."""
        if all(name in version.leaves for version in self._both):
            if all(version.leaves[name].is_complete for version in self._both):
                _, after = self._changed_leaves(name, name)
                return self._old.bytes_of(name) + len(after) * self._new.pages.size
        return sum(version.bytes_of(name) for version in self._both)

    def _count_table(self, name: str, size: int) -> None:
        versions = [version for version in self._both if name in version.leaves]
        is_complete = all(version.leaves[name].is_complete for version in versions)
        try:
            grown = self._growth(name) if is_complete and len(versions) == 2 else None
            if grown == 0 and size > _SMALL and not self._is_redefined(name):
                return  # as many as before
            if is_complete and size <= self._budget.bytes:
                self._budget.bytes -= size
                counted = [Rows(self._cells(version, name)) for version in versions]
            else:
                counted = self._estimates(name, versions, grown)
            for version, rows in zip(versions, counted, strict=True):
                version.rows[name] = rows
        except Damaged:
            for version in versions:
                version.damaged.append(name)

    def _count_missing(self, old: str, new: str) -> None:
        if old == new and old not in self._old.rows:
            self._count_table(old, self._size(old))

    def _growth(self, name: str) -> int | None:
        """Return how many rows more there are, or None if too many pages changed."""
        before, after = self._changed_leaves(name, name)
        if len(before) + len(after) > _MOST_CHANGED:
            return None
        return self._cells(self._new, name, after) - self._cells(self._old, name, before)

    def _estimates(self, name: str, versions: list[Version], grown: int | None) -> list[Rows]:
        numbers = [version.pages.sampled_rows(version.leaves[name]) for version in versions]
        if grown is not None:
            numbers[1] = max(numbers[0] + grown, 0)
        elif len(numbers) == 2 and abs(numbers[0] - numbers[1]) < max(numbers) / 10:
            numbers[1] = numbers[0]  # no more than the error of a sample
        return [Rows(number, is_estimate=True) for number in numbers]

    def _is_redefined(self, name: str) -> bool:
        old, new = (version.schema.tables[name] for version in self._both)
        return old._replace(root=new.root) != new

    def _cells(self, version: Version, name: str, numbers: list[int] | None = None) -> int:
        leaves = version.leaves[name]
        if numbers is not None:
            leaves = leaves._replace(numbers=tuple(numbers))
        return version.pages.cells(leaves) + round(leaves.above)

    def _changed_leaves(self, old: str, new: str) -> _ChangedLeaves:
        found = self._changed.get((old, new))
        if found is None:
            first, second = self._old.leaves[old], self._new.leaves[new]
            one, other = self._old.pages, self._new.pages
            found = one.changed(first, other, second), other.changed(second, one, first)
            self._changed[old, new] = found
        return found

    def _compared(self, old: str, new: str) -> int | None:
        assert self._old.file is not None
        assert self._new.file is not None
        before = self._old.file.row_digests(old, _COMPARED)
        after = self._new.file.row_digests(new, _COMPARED) if before is not None else None
        if before is None or after is None:
            return None
        return max((before - after).total(), (after - before).total())

    def _compared_as_stored(self, old: str, new: str) -> int | None:
        if self._old.leaves[old].is_index or self._new.leaves[new].is_index:
            return None  # rows are in the pages above, too
        before, after = self._changed_leaves(old, new)
        self._budget.cells -= self._cells(self._old, old, before)
        self._budget.cells -= self._cells(self._new, new, after)
        if self._budget.cells < 0:
            return None
        first, second = StoredRows(self._old.pages, before), StoredRows(self._new.pages, after)
        number = max(first.without(second), second.without(first))
        return number if number or (first.is_whole and second.is_whole) else None
