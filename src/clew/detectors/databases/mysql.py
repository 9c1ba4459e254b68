"""MySQL and MariaDB detector: tables by their files, and about how many rows they have.

Names are those of files.  Rows are counted in the files of InnoDB, MyISAM and Aria; every number is
an estimate, because a server that runs has newer pages in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.data.data_facts import data_fact, growth_text
from clew.detectors.databases.mysql_tables import (
    DATA_ENDINGS,
    OTHER_ENDINGS,
    Files,
    Tables,
    decoded,
    identity,
    rows_of,
    table_of,
    tables_of,
)
from clew.detectors.databases.sampling import Rows
from clew.detectors.databases.sqlite_moves import is_moved_file
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.model.amount import counted, size_text
from clew.model.fact import Fact, Severity
from clew.model.shorten import shorten
from clew.policy.table_losses import are_most_rows, has_passing_rows, is_disposable

_MARKER = "ibdata1"
_MARIADB = "aria_log_control"
_OWN = frozenset(("mysql", "sys", "performance_schema", "information_schema"))
_OWN_FILES = (_MARKER, "ib_logfile0", "ib_logfile1", "ib_buffer_pool", "ibtmp1", "mysql.ibd",
              "undo_001", "undo_002", "undo001", "undo002", _MARIADB, "auto.cnf")  # fmt: skip
_OWN_HEADS = (
    "ib",
    "undo",
    "mysql",
    "aria_log",
    "auto.cnf",
    "binlog",
    "#ib_",
    "multi-master",
    "ddl_",
)
_OWN_ENDINGS = (".pid", ".err")
_DATABASES = 200
_MOST_FACTS = 60
_COUNTED = 40
"""How many tables are counted."""
_EMPTY_FILE = 128 << 10
"""An InnoDB file without rows is at most as large."""
_NAME = 80


_Place = tuple[str, str]
"""A database and a table."""
_Moves = dict[_Place, _Place]
_Databases = Mapping[str, Tables]


class MySql:
    """Reports tables that appeared, vanished or lost rows, and the growth of a data directory."""

    name = "data/mysql"
    version = 2
    kinds: tuple[str, ...] = (
        "data.changed", "loss.deleted", "table.added", "table.changed", "table.removed",
    )  # fmt: skip
    watch = WatchedPaths(names=_OWN_FILES, suffixes=(*DATA_ENDINGS, *OTHER_ENDINGS))

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
    server = "mariadb" if _is_mariadb(evidence, root) else "mysql"
    was, now = (_is_root(tree, root) for tree in (evidence.old, evidence.new))
    if was and not now:
        return Finding((_deleted(evidence, root, server, below),), claims)
    size = sum((change.new.size if change.new else 0) - (change.old.size if change.old else 0)
               for change in below if not change.is_directory)  # fmt: skip
    if not was:
        number = sum(len(tables) for tables in _databases(evidence.new, root).values())
        words = [counted(number, "table")] if number else []
        fact = data_fact(server, root or ".", None, ", ".join([*words, size_text(size)]))
        return Finding((fact._replace(evidence=shown),), claims)
    comparison = _Comparison(evidence, root, server, {_database(root, one.path) for one in parts})
    facts = list(comparison.facts())
    if not facts and any(_is_table_file(root, change) for change in parts):
        mark = growth_text(size) if size else "changed inside"
        facts = [data_fact(server, root or ".", marks=(mark,))._replace(evidence=shown)]
    name = "MariaDB" if server == "mariadb" else "MySQL"
    text = "" if facts else f"{name} in {root or '.'}: its own bookkeeping"
    return Finding(tuple(facts), claims, text)


def _deleted(evidence: Evidence, root: str, server: str, below: list[PathChange]) -> Fact:
    is_moved = is_moved_file(evidence, _join(root, _MARKER))
    severity = Severity.NONE if is_disposable(root) or is_moved else Severity.HIGH
    size = size_text(sum(change.old.size for change in below if change.old is not None))
    name = "MariaDB" if server == "mariadb" else "MySQL"
    return Fact("loss.deleted", server, root or ".", f"{name}, {size}", severity=severity,
                evidence=(_join(root, _MARKER),), marks=("moved",) if is_moved else ())  # fmt: skip


def _is_mariadb(evidence: Evidence, root: str) -> bool:
    return any(tree.entry(_join(root, _MARIADB)) for tree in (evidence.old, evidence.new))


def _belongs(root: str, change: PathChange) -> bool:
    """Return whether the server wrote a path: other files may be in the same directory."""
    first, slash, rest = change.path[len(root) :].lstrip("/").partition("/")
    if not slash:
        return change.is_directory or first.startswith(_OWN_HEADS) or first.endswith(_OWN_ENDINGS)
    own = first in _OWN or first.startswith("#innodb")
    return "/" not in rest and (own or rest.endswith((*DATA_ENDINGS, *OTHER_ENDINGS)))


def _database(root: str, path: str) -> str:
    """Return the directory of the database that a path is in, or "" for the server's own."""
    first, slash, _ = path[len(root) :].lstrip("/").partition("/")
    return first if slash and first not in _OWN and not first.startswith("#") else ""


def _is_table_file(root: str, change: PathChange) -> bool:
    return bool(_database(root, change.path) and table_of(change.name)) and change.is_content


def _databases(tree: Tree, root: str) -> dict[str, Tables]:
    names = [
        name
        for name, entry in sorted(tree.entries(root).items())
        if entry.is_directory and _database(root, _join(root, name) + "/")
    ]
    return {name: tables_of(tree, _join(root, name)) for name in names[:_DATABASES]}


class _Comparison:
    """What changed in the databases of a data directory."""

    def __init__(self, evidence: Evidence, root: str, server: str, databases: set[str]) -> None:
        self._evidence = evidence
        self._root = root
        self._server = server
        self._databases = sorted(databases - {""})[:_DATABASES]
        self._left = _COUNTED

    def facts(self) -> Iterator[Fact]:
        before, after = (
            {name: tables_of(tree, _join(self._root, name)) for name in self._databases}
            for tree in (self._evidence.old, self._evidence.new)
        )
        moves = self._moves(before, after)
        lost: list[tuple[str, str]] = []
        marks: list[str] = []
        tables: list[Fact] = []
        for name in self._databases:
            is_quiet = is_disposable(self._root) or is_disposable(decoded(name))
            moved = {table for database, table in moves.values() if database == name}
            if self._is_gone(name) and before[name].keys() - moved:
                severity = Severity.NONE if is_quiet else Severity.HIGH
                lost.append((severity, _dropped_database(name, before[name])))
                continue
            if after[name] and self._evidence.old.entry(_join(self._root, name)) is None:
                marks.append(f"new database {_short(decoded(name))}")
            found = list(self._tables(name, before, after, moves))
            tables += [one._replace(severity=Severity.NONE) for one in found] if is_quiet else found
        if lost or marks:
            worst = Severity.HIGH if any(one == Severity.HIGH for one, _ in lost) else Severity.NONE
            told = (*(mark for _, mark in lost), *marks)
            yield data_fact(self._server, self._root or ".", marks=told, severity=worst)
        yield from sorted(tables, key=lambda fact: fact.severity != Severity.HIGH)[:_MOST_FACTS]

    def _is_gone(self, name: str) -> bool:
        return self._evidence.new.entry(_join(self._root, name)) is None

    def _tables(
        self, database: str, before: _Databases, after: _Databases, moves: _Moves
    ) -> Iterator[Fact]:
        scope = f"{self._server}:{self._root or '.'}:{decoded(database)}"
        left = set(moves.values())
        for name in sorted({*before[database], *after[database]}):
            place = database, name
            origin = moves.get(place, place)
            was, now = before[origin[0]].get(origin[1]), after[database].get(name)
            if now is None:
                if was is not None and place not in left:
                    yield self._removed(scope, name, was)
            elif was is None:
                yield self._added(scope, name, now)
            else:
                marks: tuple[str, ...] = ()
                if origin != place:
                    shown = (
                        origin[1] if origin[0] == database else f"{decoded(origin[0])}.{origin[1]}"
                    )
                    marks = (f"renamed from {_short(shown)}",)
                fact = self._changed(scope, name, was, now)
                if fact is not None or marks:
                    fact = fact or Fact("table.changed", scope, _short(name))
                    yield fact._replace(marks=(*marks, *fact.marks))

    def _added(self, scope: str, name: str, files: Files) -> Fact:
        rows = self._rows(self._evidence.new, files)
        marks = () if rows is not None else (size_text(files.size),)
        return Fact("table.added", scope, _short(name), after=_text(rows), marks=marks)

    def _removed(self, scope: str, name: str, files: Files) -> Fact:
        rows = self._rows(self._evidence.old, files)
        marks = () if rows is not None else (size_text(files.size),)
        is_loss = rows is None or rows.number > 0
        return Fact("table.removed", scope, _short(name), _text(rows), marks=marks,
                    severity=Severity.HIGH if is_loss else Severity.NONE)  # fmt: skip

    def _moves(self, before: _Databases, after: _Databases) -> _Moves:
        """Return the old place of tables that are in a new one."""
        gone: dict[object, _Place] = {
            identity(self._evidence.old, before[database][name]): (database, name)
            for database, name in _only_in(before, after)
        }
        gone.pop(None, None)
        found: _Moves = {}
        for place in _only_in(after, before) if gone else []:
            key = identity(self._evidence.new, after[place[0]][place[1]])
            if key in gone:
                found[place] = gone.pop(key)
        return found

    def _changed(self, scope: str, name: str, was: Files, now: Files) -> Fact | None:
        if was.contents() == now.contents():
            return None
        old, new = self._evidence.old, self._evidence.new
        is_redefined = was.definition(old) != now.definition(new)
        marks = ("definition changed",) if is_redefined else ()
        before, after = self._rows(self._evidence.old, was), self._rows(self._evidence.new, now)
        if before is None or after is None:
            if now.size > _EMPTY_FILE or was.size < 8 * max(now.size, 1):
                return Fact("table.changed", scope, _short(name), marks=marks) if marks else None
            mark = f"emptied, {size_text(was.size)} → {size_text(now.size)}"
            return Fact("table.changed", scope, _short(name), marks=(mark,), severity=Severity.HIGH)
        if before == after and not marks:
            return None
        is_loss = are_most_rows(before.number - after.number, before.number)
        is_loss = is_loss and not has_passing_rows(name)
        return Fact("table.changed", scope, _short(name), str(before), str(after), marks=marks,
                    severity=Severity.HIGH if is_loss else Severity.NONE)  # fmt: skip

    def _rows(self, tree: Tree, files: Files) -> Rows | None:
        self._left -= 1
        return rows_of(tree, files) if self._left >= 0 else None


def _only_in(databases: _Databases, others: _Databases) -> list[_Place]:
    """Return the tables that only one version has, as many as are compared."""
    found = [
        (database, name)
        for database, tables in databases.items()
        for name in tables
        if name not in others[database]
    ]
    return found[:_COUNTED]


def _dropped_database(name: str, tables: Tables) -> str:
    size = size_text(sum(files.size for files in tables.values()))
    return f"database {_short(decoded(name))} dropped ({counted(len(tables), 'table')}, {size})"


def _text(rows: Rows | None) -> str | None:
    return None if rows is None else str(rows)


def _short(name: str) -> str:
    return shorten(name, _NAME)


def _join(root: str, name: str) -> str:
    return f"{root}/{name}" if root else name
