"""MySQL and MariaDB detector: tables by the names of their files, and growth in bytes.

Rows are not counted: that requires the server.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.data.data_facts import data_fact, growth_text
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.model.amount import counted, size_text
from clew.model.fact import Fact, Severity

_MARKER = "ibdata1"
_TABLES = (".ibd", ".MYD", ".MAD")
_OTHERS = (".frm", ".MYI", ".MAI", ".opt", ".sdi")
_OWN = frozenset(("mysql", "sys", "performance_schema", "information_schema"))
_OWN_FILES = (_MARKER, "ib_logfile0", "ib_logfile1", "ib_buffer_pool", "ibtmp1", "mysql.ibd",
              "undo_001", "undo_002", "undo001", "undo002", "aria_log_control", "auto.cnf")  # fmt: skip
_OWN_HEADS = ("ib", "undo", "mysql", "aria_log", "auto.cnf", "binlog", "#ib_", "multi-master")
_NAMED = 4


class MySql:
    """Reports added and dropped tables of a data directory, and its growth."""

    name = "data/mysql"
    version = 2
    kinds: tuple[str, ...] = ("data.changed", "loss.deleted")
    watch = WatchedPaths(names=_OWN_FILES, suffixes=(*_TABLES, *_OTHERS))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        known: dict[str, bool] = {}
        roots: dict[str, list[PathChange]] = {}
        for change in changes:
            for root in dict.fromkeys((change.parent, change.parent.rpartition("/")[0])):
                if root not in known:
                    known[root] = any(_is_root(tree, root) for tree in (evidence.old, evidence.new))
                if known[root]:
                    roots.setdefault(root, []).append(change)
                    break
        for root, parts in roots.items():
            with evidence.guarded(root):
                yield _finding(evidence, root, parts)


def _is_root(tree: Tree, root: str) -> bool:
    entry = tree.entry(_join(root, _MARKER))
    return entry is not None and entry.is_file


def _finding(evidence: Evidence, root: str, parts: list[PathChange]) -> Finding:
    below = [change for change in evidence.below(root) if _belongs(root, change)]
    claims = tuple(change.path for change in below)
    shown = (_join(root, _MARKER),)
    was, now = (_is_root(tree, root) for tree in (evidence.old, evidence.new))
    if was and not now:
        gone = Fact("loss.deleted", "mysql", root or ".", severity=Severity.HIGH, evidence=shown)
        return Finding((gone,), claims)
    size = sum((change.new.size if change.new else 0) - (change.old.size if change.old else 0)
               for change in below if not change.is_directory)  # fmt: skip
    added = _only_in(evidence.new, evidence.old, root, parts)
    removed = _only_in(evidence.old, evidence.new, root, parts)
    if not was:
        words = [counted(len(added), "table")] if added else []
        fact = data_fact("mysql", root or ".", None, ", ".join([*words, size_text(size)]))
        return Finding((fact._replace(evidence=shown),), claims)
    marks = [*_named("new table", added), *_named("dropped table", removed)]
    if any(_table_of(root, change.path) and change.is_content for change in parts):
        marks.append(growth_text(size) if size else "changed inside")
    if not marks:
        return Finding((), claims, f"MySQL in {root or '.'}: its own bookkeeping")
    severity = Severity.HIGH if removed else Severity.NONE
    changed = data_fact("mysql", root or ".", marks=tuple(marks), severity=severity)
    return Finding((changed._replace(evidence=shown),), claims)


def _belongs(root: str, change: PathChange) -> bool:
    """Return whether the server wrote a path: other files may be in the same directory."""
    first, slash, rest = change.path[len(root) :].lstrip("/").partition("/")
    if not slash:
        return change.is_directory or first.startswith(_OWN_HEADS)
    own = first in _OWN or first.startswith("#innodb")
    return "/" not in rest and (own or rest.endswith((*_TABLES, *_OTHERS)))


def _only_in(tree: Tree, other: Tree, root: str, parts: list[PathChange]) -> list[str]:
    """Return the tables that only `tree` has."""
    found = {
        table
        for change in parts
        if change.is_added or change.is_deleted
        if (table := _table_of(root, change.path))
    }
    databases = {table.partition(".")[0] for table in found}
    mine, others = (
        {
            _table_of(root, f"{_join(root, database)}/{name}")
            for database in databases
            for name in each.entries(_join(root, database))
        }
        for each in (tree, other)
    )
    return sorted(found & mine - others)


def _table_of(root: str, path: str) -> str:
    """Return `database.table`, or "" for the server's own and temporary files.

    A partition counts as its table.
    """
    parent, _, name = path.rpartition("/")
    database = parent.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    is_table = dot + ending in _TABLES and parent != root and database not in _OWN
    if not is_table or stem.startswith("#sql"):
        return ""
    at = stem.lower().find("#p#")
    return f"{database}.{stem[:at] if at >= 0 else stem}"


def _named(word: str, tables: list[str]) -> list[str]:
    marks = [f"{word} {table[:100]}" for table in tables[:_NAMED]]
    left = len(tables) - len(marks)
    return [*marks, f"{left:,} more"] if left else marks


def _join(root: str, name: str) -> str:
    return f"{root}/{name}" if root else name
