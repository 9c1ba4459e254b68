"""Data table detector: the number of rows in CSV, TSV, JSON Lines and Parquet files.

Column names are not shown: a file without a header has data in its first line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.data.data_facts import (
    bytes_to_read,
    ending,
    file_finding,
    split_crowds,
    unclaimed_files,
)
from clew.detectors.data.parquet import parquet_rows
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.bulk_changes import BulkDirectory
from clew.model.amount import counted, size_text

_SEPARATED = {".csv": b",", ".tsv": b"\t"}
_LINES = (".jsonl", ".ndjson")
_SIZED = (".feather", ".arrow")
_COUNTED = 64 << 20
"""Rows of larger files are not counted."""
_ALL = 256 << 20
"""The total number of bytes read."""
_FOOTER = 1 << 20
_FIRST_LINE = 64 << 10
_NUMBER = re.compile(rb"\s*[-+]?[0-9][0-9.,eE+-]*\s*")


class Tabular:
    """Reports changes in the number of rows."""

    name = "data/tabular"
    version = 1
    kinds: tuple[str, ...] = ("data.changed",)
    watch = WatchedPaths(suffixes=(*_SEPARATED, *_LINES, ".parquet", *_SIZED))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        bulk = evidence.once(BulkDirectory)
        own = (change for change in changes if not bulk.holds(change.path))
        alone, crowded = split_crowds("table", unclaimed_files(evidence, own))
        yield from crowded
        left = _ALL
        for change in alone:
            with evidence.guarded(change.path):
                left -= bytes_to_read(change)
                before, after = (
                    _text(tree, change.path, is_read=left > 0)
                    for tree in (evidence.old, evidence.new)
                )
                yield file_finding("table", change.path, before, after, "rows edited")


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
