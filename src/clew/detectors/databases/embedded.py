"""Detector of DuckDB and LMDB files: their tables or entries, and their size.

A file of LMDB says how many pages it has: one with fewer was cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct

from clew.detectors.data.app_state import is_app_state
from clew.detectors.data.data_facts import data_fact, unclaimed_files
from clew.detectors.databases.duckdb_tables import duckdb_facts
from clew.detectors.databases.sqlite_moves import is_moved_file
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.repositories.git_contents import is_in_git
from clew.model.amount import counted, size_text
from clew.model.fact import Severity
from clew.model.named_tuple import NamedTuple
from clew.policy.table_losses import are_most_rows, is_disposable

_DUCKDB_AT, _DUCKDB = 8, b"DUCK"
_DUCKDB_EMPTY = 3 * 4096
"""The headers of a file without a table."""
_LMDB_MAGIC = 0xBEEFC0DE
_LMDB_META = Struct("<16xIIQQI44xIHHQQQQQQQ")
"""Page header; magic, version, address, size; the size of a page, and more of the free list; the main
tree; last page, transaction."""
_ENTRIES, _PAGE_SIZE, _LAST_PAGE = 11, 4, 13
_LMDB_PAGES = (0, 4096, 8192, 16384, 32768, 65536)
_MOST = 100


class EmbeddedFile(NamedTuple):
    """What can be said of a file."""

    kind: str
    size: int
    entries: int | None = None
    wanted: int = 0
    """The size that the pages of the file need."""

    @property
    def text(self) -> str:
        if self.entries is None:
            return size_text(self.size)
        return f"{counted(self.entries, 'entry', 'entries')}, {size_text(self.size)}"

    @property
    def is_cut(self) -> bool:
        return self.size < self.wanted

    @property
    def is_empty(self) -> bool:
        return self.entries == 0 if self.kind == "lmdb" else self.size <= _DUCKDB_EMPTY


class Embedded:
    """Reports databases that are one file."""

    name = "data/embedded"
    version = 2
    kinds: tuple[str, ...] = ("data.changed", "table.added", "table.changed", "table.removed")
    watch = WatchedPaths(names=("data.mdb", "lock.mdb"), suffixes=(".duckdb", ".ddb", ".db"))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        for change in unclaimed_files(evidence, changes)[:_MOST]:
            with evidence.guarded(change.path):
                yield from _findings(evidence, change)


def _findings(evidence: Evidence, change: PathChange) -> Iterator[Finding]:
    old, new = (_read(tree, change.path) for tree in (evidence.old, evidence.new))
    found = old or new
    if found is None or change.new is None:
        return  # a deleted file is reported as any other
    claims = [change.path]
    lock = f"{change.parent}/lock.mdb".lstrip("/")
    claims += [lock] if found.kind == "lmdb" and lock in evidence.changes else []
    if is_app_state(change.path):
        yield Finding((), tuple(claims), "app state changed")
        return
    is_kept = _is_kept(evidence, change)
    if found.kind == "duckdb" and old is not None and new is not None:
        readers = (tree.reader(change.path) for tree in (evidence.old, evidence.new))
        facts = duckdb_facts(change.path, *readers, is_kept=is_kept)
        if facts:
            yield Finding(tuple(facts), tuple(claims))
            return
    before = old.text if old is not None else None
    after = new.text if new is not None else "no database any more"
    marks: tuple[str, ...] = (before or "", "changed inside") if before == after else ()
    if old is not None and new is not None and new.is_cut and not old.is_cut:
        marks = (f"cut short, {size_text(new.size)} of {size_text(old.size)} left",)
    is_loud = old is not None and _is_loss(old, new) and not is_kept
    severity = Severity.HIGH if is_loud else Severity.NONE
    yield Finding(
        (data_fact(found.kind, change.path, before, after, marks, severity),), tuple(claims)
    )


def _read(tree: Tree, path: str) -> EmbeddedFile | None:
    reader = tree.reader(path)
    if reader is None:
        return None
    header = reader.read(0, 16)
    if header[_DUCKDB_AT : _DUCKDB_AT + 4] == _DUCKDB:
        return EmbeddedFile("duckdb", reader.size)
    if not path.endswith(".mdb"):
        return None
    metas = [
        _LMDB_META.unpack(content)
        for at in _LMDB_PAGES
        if len(content := reader.read(at, _LMDB_META.size)) == _LMDB_META.size
    ]
    valid = [meta for meta in metas if meta[0] == _LMDB_MAGIC]
    if not valid:
        return None
    newest = max(valid, key=lambda meta: meta[-1])
    wanted = (newest[_LAST_PAGE] + 1) * newest[_PAGE_SIZE]
    return EmbeddedFile("lmdb", reader.size, newest[_ENTRIES], wanted)


def _is_loss(old: EmbeddedFile, new: EmbeddedFile | None) -> bool:
    if old.is_empty:
        return False
    if new is None or new.is_empty or (new.is_cut and not old.is_cut):
        return True
    if old.entries is None or new.entries is None:
        return False
    return are_most_rows(old.entries - new.entries, old.entries)


def _is_kept(evidence: Evidence, change: PathChange) -> bool:
    """Return whether nothing is lost: a test made it, git has it, or it is in another place."""
    is_moved = is_moved_file(evidence, change.path)
    return is_moved or is_disposable(change.path) or is_in_git(evidence, change.path)
