"""Data table detector: rows and columns of CSV, TSV, JSON Lines and Parquet files.

Rows are counted.  Of smaller tables, columns and values are compared too (`table_columns.py`).
A column that had values in most rows and is gone or emptied is a loss, unless git or a copy has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.data.data_facts import (
    bytes_to_read,
    data_fact,
    ending,
    file_finding,
    split_crowds,
    unclaimed_files,
)
from clew.detectors.data.parquet import parquet_rows
from clew.detectors.data.table_columns import (
    LIMIT,
    TableChange,
    compare_tables,
    read_lines,
    read_separated,
)
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.bulk_changes import BulkDirectory
from clew.detectors.losses.copies import Copies
from clew.detectors.losses.places import Places
from clew.detectors.repositories.git_contents import is_in_git
from clew.model.amount import counted, size_text
from clew.model.fact import Severity
from clew.policy.table_losses import is_disposable

_SEPARATED = {".csv": b",", ".tsv": b"\t"}
_LINES = (".jsonl", ".ndjson")
_SIZED = (".feather", ".arrow")
_COUNTED = 64 << 20
"""Rows of larger files are not counted."""
_ALL = 256 << 20
"""The total number of bytes read."""
_VALUES = 6 << 20
"""The total number of bytes whose values are compared."""
_MAX_SEARCHES = 8
"""How many tables are searched for in the whole tree."""
_FOOTER = 1 << 20
_FIRST_LINE = 64 << 10
_NUMBER = re.compile(rb"\s*[-+]?[0-9][0-9.,eE+-]*\s*")


class Tabular:
    """Reports changes in the number of rows."""

    name = "data/tabular"
    version = 2
    kinds: tuple[str, ...] = ("data.changed",)
    watch = WatchedPaths(suffixes=(*_SEPARATED, *_LINES, ".parquet", *_SIZED))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        bulk = evidence.once(BulkDirectory)
        own = (change for change in changes if not bulk.holds(change.path))
        alone, crowded = split_crowds("table", unclaimed_files(evidence, own))
        yield from crowded
        left, values_left = _ALL, _VALUES
        kept = _KeptTables(evidence)
        for change in alone:
            with evidence.guarded(change.path):
                left -= bytes_to_read(change)
                before, after = (
                    _text(tree, change.path, is_read=left > 0)
                    for tree in (evidence.old, evidence.new)
                )
                values_left -= bytes_to_read(change) if _is_comparable(change) else 0
                found = _compared(evidence, change) if values_left > 0 else None
                if found is not None and found.marks:
                    is_lost = found.is_loss and not kept.has(change)
                    yield _changed(change, before, after, found, is_lost=is_lost)
                else:
                    yield file_finding("table", change.path, before, after, "rows edited")


def _is_comparable(change: PathChange) -> bool:
    old, new = change.old, change.new
    if old is None or new is None or not old.is_file or not new.is_file:
        return False
    return max(old.size, new.size) <= LIMIT and change.name.endswith((*_SEPARATED, *_LINES))


def _compared(evidence: Evidence, change: PathChange) -> TableChange | None:
    """Return what changed in the columns and values of a table, if it can be read."""
    if not _is_comparable(change):
        return None
    is_lines = change.name.endswith(_LINES)
    suffix = change.name[change.name.rindex(".") :]
    old, new = (
        read_lines(content) if is_lines else read_separated(content, suffix)
        for content in (tree.read(change.path) or b"" for tree in (evidence.old, evidence.new))
    )
    if old is None or new is None:
        return None
    return compare_tables(old, new, has_names=is_lines)


def _changed(
    change: PathChange, before: str | None, after: str | None, found: TableChange, *, is_lost: bool
) -> Finding:  # fmt: skip
    rows = after or "" if before == after else f"{before} → {after}"
    is_edited = found.marks[0].endswith((" edited", "order", "values"))
    marks = (rows, *found.marks) if is_edited else (*found.marks, rows)
    if before == after and any("emptied in" in mark for mark in marks):
        marks = found.marks  # they have the number of rows
    severity = Severity.HIGH if is_lost else Severity.NONE
    fact = data_fact("table", change.path, before, after, marks, severity)
    return Finding((fact,), (change.path,))


class _KeptTables:
    """Tables of which nothing is lost: they can be made again, or git or a copy has them."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._searches_left = _MAX_SEARCHES

    def has(self, change: PathChange) -> bool:
        place = self._evidence.once(Places).of(change.parent)
        if place.is_others or place.is_made or is_disposable(change.path):
            return True
        return self._is_copied(change) or is_in_git(self._evidence, change.path)

    def _is_copied(self, change: PathChange) -> bool:
        copies = self._evidence.once(Copies)
        if change.old is None or change.old.content in copies.written:
            return True
        self._searches_left -= 1
        return self._searches_left >= 0 and bool(copies.find({change.old.content}))


def separated_rows(pieces: Iterator[bytes], separator: bytes) -> int:
    """Return the number of records of a CSV; a line break inside quotes does not end a record.

    The first record is a header unless one of its fields is a number.
    """
    breaks = 0
    is_quoted = False
    first, last = b"", b"\n"
    for piece in pieces:
        if len(first) < _FIRST_LINE:
            first += piece[:_FIRST_LINE]
        parts = piece.split(b'"')
        breaks += sum(part.count(b"\n") for part in parts[1 if is_quoted else 0 :: 2])
        is_quoted ^= len(parts) % 2 == 0
        last = piece[-1:] or last
    records = breaks + (last != b"\n")
    fields = first.partition(b"\n")[0].split(separator)
    has_header = not any(_NUMBER.fullmatch(field.strip(b'"')) for field in fields)
    return max(0, records - 1) if has_header else records


def line_rows(pieces: Iterator[bytes]) -> int:
    """Return the number of non-empty lines."""
    rows = 0
    has_text = False
    for piece in pieces:
        for number, line in enumerate(piece.split(b"\n")):
            if number:
                rows += has_text
                has_text = False
            has_text = has_text or bool(line and not line.isspace())
    return rows + has_text


def _text(tree: Tree, path: str, *, is_read: bool) -> str | None:
    entry = tree.entry(path)
    if entry is None or not entry.is_file:
        return None
    rows = table_rows(tree, path, entry.size) if is_read else None
    return size_text(entry.size) if rows is None else counted(rows, "row")


def table_rows(tree: Tree, path: str, size: int) -> int | None:
    """Return the number of rows of a table, or None if the file is too large or of no known format."""
    kind = path[path.rindex(".") :]
    if kind == ".parquet":
        return parquet_rows(ending(tree, path, _FOOTER))
    if size > _COUNTED:
        return None
    if kind in _SEPARATED:
        return separated_rows(tree.pieces(path), _SEPARATED[kind])
    return line_rows(tree.pieces(path)) if kind in _LINES else None
