"""Relation files of a PostgreSQL cluster whose catalogue cannot be read.

A file that vanished, or that was cut to nothing, was a table that was dropped or truncated, unless
another file has its rows: `VACUUM FULL` and other rewrites give a table a new file.
Indexes, free space maps and temporary tables are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from clew.detectors.databases.postgres_catalogue import Table, join
from clew.detectors.databases.postgres_heap import PAGE, is_heap, live_pointers
from clew.detectors.detector import Evidence, PathChange, Tree
from clew.model.named_tuple import NamedTuple

_FILE = re.compile(r"base/([0-9]{1,10})/([0-9]{1,10})")
_COUNTED_PAGES = 512
_MOST = 200

Names = Mapping[tuple[int, int], Table]
"""Tables by their database and file, as far as they are known."""


class RelationFile(NamedTuple):
    """The first file of a relation."""

    path: str
    database: int
    number: int
    size: int


def lost_files(
    evidence: Evidence, root: str, changes: Iterable[PathChange], names: Names
) -> list[RelationFile]:
    """Return files of tables that are gone or empty, and have no successor."""
    gone = list(_gone(evidence, root, changes, names))
    came = [
        _file(evidence.new, root, change.path, change.new.size)
        for change in changes
        if change.old is None and change.new is not None and change.new.size
    ]
    successors = [file for file in came if file is not None and _is_table(evidence.new, file)][
        :_MOST
    ]
    found = []
    for file in gone[:_MOST]:
        successor = next((one for one in successors if _is_successor(evidence, file, one)), None)
        if successor is None:
            found.append(file)
        else:
            successors.remove(successor)
    return found


def _gone(
    evidence: Evidence, root: str, changes: Iterable[PathChange], names: Names
) -> Iterator[RelationFile]:
    for change in changes:
        if change.old is None or not change.old.size or not change.old.is_file:
            continue
        if change.new is not None and change.new.size:
            continue
        file = _file(evidence.old, root, change.path, change.old.size)
        if file is None or evidence.new.entry(join(root, f"base/{file.database}")) is None:
            continue  # gone with its database
        known = names.get((file.database, file.number))
        is_table = known.kind == "table" if known is not None else not names and _is_table(evidence.old, file)  # fmt: skip
        if is_table:
            yield file


def _file(tree: Tree, root: str, path: str, size: int) -> RelationFile | None:
    inside = path[len(root) :].lstrip("/")
    found = _FILE.fullmatch(inside)
    if found is None:
        return None
    number = 1
    while (entry := tree.entry(f"{path}.{number}")) is not None and number < 100:
        size += entry.size
        number += 1
    return RelationFile(path, int(found[1]), int(found[2]), size)


def _is_table(tree: Tree, file: RelationFile) -> bool:
    """Return whether a file is that of a table; one whose pages were not written yet may be."""
    reader = tree.reader(file.path)
    page = reader.read(0, PAGE) if reader is not None else b""
    return is_heap(page) or not any(page)


def _is_successor(evidence: Evidence, old: RelationFile, new: RelationFile) -> bool:
    """Return whether a new file may have the rows of an old one: its size, or as many rows."""
    if old.database != new.database:
        return False
    if old.size <= 2 * new.size <= 4 * old.size:
        return True
    before, after = (_rows(tree, file) for tree, file in ((evidence.old, old), (evidence.new, new)))
    return bool(before and after) and abs(before - after) <= max(before, after) / 10


def _rows(tree: Tree, file: RelationFile) -> int:
    """Return about how many rows a file has, as far as its own flags tell."""
    reader = tree.reader(file.path)
    if reader is None:
        return 0
    pages = min(reader.size // PAGE, _COUNTED_PAGES)
    rows = sum(live_pointers(reader.read(number * PAGE, PAGE)) for number in range(pages))
    return rows * max(file.size // PAGE, 1) // max(pages, 1)
