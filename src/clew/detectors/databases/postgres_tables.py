"""Comparison of two catalogues of a PostgreSQL cluster: databases, tables, columns, rows and roles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from clew.detectors.databases.postgres_catalogue import (
    Catalogue,
    NoCatalogue,
    Role,
    Table,
    join,
    read_control,
)
from clew.detectors.databases.postgres_heap import Heap
from clew.detectors.databases.sampling import Rows
from clew.detectors.detector import Evidence, Tree
from clew.model.amount import counted
from clew.model.fact import Fact, Severity
from clew.model.shorten import shorten
from clew.policy.table_losses import are_most_rows, has_passing_rows, is_disposable

_COUNTED_BYTES = 24 << 20
"""Heaps whose rows are counted in one story; those of larger tables are estimated."""
_MARKS = 12
_NAME = 80
_MOST_FACTS = 60
_Column = TypeVar("_Column", int, str)
_Pair = tuple[int, int]
"""The old and the new number of a database."""
_DANGEROUS_RIGHTS = ("createrole", "replication", "bypassrls")


class ClusterSide:
    """One version of a cluster."""

    def __init__(self, tree: Tree, root: str) -> None:
        self.tree = tree
        self.catalogue = Catalogue(tree, root)
        self.databases = self.catalogue.databases()
        self._columns: dict[int, dict[int, dict[int, str]]] = {}

    def columns(self, database: int, table: int) -> dict[int, str]:
        if database not in self._columns:
            try:
                self._columns[database] = self.catalogue.columns(database)
            except NoCatalogue:  # too many columns; the tables are told without them
                self._columns[database] = {}
        return self._columns[database].get(table, {})


class ClusterComparison:
    """What changed between two versions of a cluster."""

    def __init__(self, evidence: Evidence, root: str) -> None:
        self._evidence = evidence
        self._root = root
        self._old = ClusterSide(evidence.old, root)
        self._new = ClusterSide(evidence.new, root)
        self._changed = _changed_databases(evidence, root)
        old, new = (read_control(tree, root) for tree in (evidence.old, evidence.new))
        self._is_other = old is not None and new is not None and old.system != new.system
        self._pairs = self._paired()
        self._left = _COUNTED_BYTES
        self.is_disposable = is_disposable(root)

    def facts(self) -> Iterator[Fact]:
        """Yield facts about tables and roles."""
        number = 0
        for pair in sorted(self._pairs.items()):
            if not self._changed.isdisjoint(pair):
                for fact in self._table_facts(pair):
                    number += 1
                    if number <= _MOST_FACTS or fact.severity == Severity.HIGH:
                        yield fact
        yield from self._role_facts()

    def marks(self) -> Iterator[str]:
        """Yield what is new or different, without losses."""
        if self._is_other:
            yield "another cluster"
        known = set(self._pairs.values())
        for database, name in sorted(self._new.databases.items()):
            if database not in known:
                yield f"new database {_short(name)}"
        for old, new in sorted(self._pairs.items()):
            before, after = self._old.databases[old], self._new.databases[new]
            if before != after:
                yield f"database {_short(before)} renamed {_short(after)}"
        roles, now = self._old.catalogue.roles(), self._new.catalogue.roles()
        yield from (f"new role {_short(name)}" for name in sorted(set(now) - set(roles)))
        yield from (f"role {_short(name)} dropped" for name in sorted(set(roles) - set(now)))

    def lost_databases(self) -> Iterator[tuple[str, str]]:
        """Yield the severity of each dropped database, and a mark."""
        for database, name in sorted(self._old.databases.items()):
            if database not in self._pairs:
                tables = self._old.catalogue.tables(database)
                rows = self._all_rows(database, tables)
                size = f" ({counted(len(tables), 'table')}, {rows})"
                is_loss = not (self.is_disposable or is_disposable(name))
                mark = f"database {_short(name)} dropped{size if tables else ''}"
                yield (Severity.HIGH if is_loss else Severity.NONE), mark

    def _paired(self) -> dict[int, int]:
        """Return the old number of each database with the new one: one made again keeps its name."""
        old, new = self._old.databases, self._new.databases
        found = {} if self._is_other else {number: number for number in old if number in new}
        names = {name: number for number, name in new.items() if number not in found.values()}
        for number, name in old.items():
            if number not in found and name in names:
                found[number] = names[name]
        return found

    def _all_rows(self, database: int, tables: dict[int, Table]) -> str:
        found = [self._rows(self._old, database, table) for table in tables.values()]
        known = [rows for rows in found if rows is not None]
        about = "~" if any(rows.is_estimate for rows in known) else ""
        return about + counted(sum(rows.number for rows in known), "row")

    def _table_facts(self, pair: _Pair) -> Iterator[Fact]:
        name = self._new.databases[pair[1]]
        before = self._old.catalogue.tables(pair[0])
        after = self._new.catalogue.tables(pair[1])
        is_same = pair[0] == pair[1] and not self._is_other
        names = {one.name: one for one in after.values() if not is_same or one.oid not in before}
        scope = f"postgres:{self._root or '.'}:{name}"
        quiet = self.is_disposable or is_disposable(name)
        known: set[int] = set()
        for oid, table in sorted(before.items(), key=lambda item: item[1].name):
            now = (after.get(oid) if is_same else None) or names.get(table.name)
            known.add(now.oid if now is not None else 0)
            fact = (
                self._removed(scope, pair[0], table)
                if now is None
                else self._changed_table(scope, pair, table, now)
            )
            if fact is not None:
                yield fact._replace(severity=Severity.NONE) if quiet else fact
        for table in sorted(after.values(), key=lambda one: one.name):
            if table.oid not in known:
                yield self._added(scope, pair[1], table)

    def _added(self, scope: str, database: int, table: Table) -> Fact:
        rows = self._rows(self._new, database, table)
        return Fact("table.added", scope, _short(table.name), after=_text(rows), marks=_kind(table))

    def _removed(self, scope: str, database: int, table: Table) -> Fact:
        rows = self._rows(self._old, database, table)
        is_loss = table.kind == "table" and (rows is None or rows.number > 0)
        severity = Severity.HIGH if is_loss else Severity.NONE
        return Fact("table.removed", scope, _short(table.name), _text(rows), severity=severity,
                    marks=_kind(table))  # fmt: skip

    def _changed_table(self, scope: str, pair: _Pair, was: Table, now: Table) -> Fact | None:
        marks, has_dropped = self._schema_marks(pair, was, now)
        before = after = None
        if has_dropped or self._has_other_rows(pair, was, now):
            before = self._rows(self._old, pair[0], was)
            after = self._rows(self._new, pair[1], now) if before is not None else None
        is_same = before is None or after is None or before == after
        if not marks and is_same:
            return None
        is_loss = has_dropped and (before is None or before.number > 0)
        if before is not None and after is not None and not has_passing_rows(now.name):
            is_loss = is_loss or are_most_rows(before.number - after.number, before.number)
        severity = Severity.HIGH if is_loss and now.kind == "table" else Severity.NONE
        first, second = (_text(rows) if after is not None else None for rows in (before, after))
        return Fact("table.changed", scope, _short(now.name), first, second, severity=severity,
                    marks=marks)  # fmt: skip

    def _schema_marks(self, pair: _Pair, was: Table, now: Table) -> tuple[tuple[str, ...], bool]:
        """Return what else changed in a table, and whether a column was dropped."""
        marks = [f"renamed from {_short(was.name)}"] if was.name != now.name else []
        if self._has_same_columns(pair):
            return tuple(marks), False
        old, new = self._old.columns(pair[0], was.oid), self._new.columns(pair[1], now.oid)
        if was.oid == now.oid and pair[0] == pair[1]:
            columns = _column_marks(old, new)
        else:  # made again: columns have other numbers
            by_name = ({name: name for name in names.values()} for names in (old, new))
            columns = _column_marks(*by_name)
        dropped = any(mark.startswith("-column ") for mark in columns)
        return tuple([*marks, *columns][:_MARKS]), dropped

    def _has_same_columns(self, pair: _Pair) -> bool:
        old = self._old.catalogue.columns_content(pair[0])
        return old is not None and old == self._new.catalogue.columns_content(pair[1])

    def _has_other_rows(self, pair: _Pair, was: Table, now: Table) -> bool:
        """Return whether the file of a table is another one, or has other bytes."""
        old = self._old.catalogue.path(pair[0], was)
        new = self._new.catalogue.path(pair[1], now)
        if old is None or new is None:
            return was.estimate != now.estimate
        paths = (new, *(f"{new}.{number}" for number in range(1, 8)))
        return old != new or any(path in self._evidence.changes for path in paths)

    def _rows(self, side: ClusterSide, database: int, table: Table) -> Rows | None:
        """Return the number of rows, or None if there are none or it is unknown."""
        path = side.catalogue.path(database, table)
        if table.kind not in ("table", "materialized view"):
            return None
        heap = Heap(side.tree, path) if path is not None else None
        if heap is None or not heap.exists:
            return Rows(table.estimate, is_estimate=True) if table.estimate >= 0 else None
        rows = heap.count(side.catalogue.transactions, self._left)
        self._left -= 0 if rows.is_estimate else heap.size
        return rows

    def _role_facts(self) -> Iterator[Fact]:
        old, new = self._old.catalogue.roles(), self._new.catalogue.roles()
        for name, role in sorted(new.items()):
            gained = _gained(old.get(name), role)
            if gained:
                is_root = "superuser" in gained
                marks = (
                    ("PostgreSQL superuser",) if is_root else (f"PostgreSQL {', '.join(gained)}",)
                )
                severity = Severity.HIGH if is_root else Severity.NOTE
                yield Fact("security.account", "postgres", _short(name), severity=severity,
                           evidence=(f"{self._root}/global".lstrip("/"),), marks=marks)  # fmt: skip


def _column_marks(old: Mapping[_Column, str], new: Mapping[_Column, str]) -> list[str]:
    """Return how columns differ, which keep their number or name."""
    return [
        *(f"+column {_short(new[key])}" for key in sorted(new.keys() - old.keys())),
        *(f"-column {_short(old[key])}" for key in sorted(old.keys() - new.keys())),
        *(
            f"column {_short(old[key])} renamed {_short(new[key])}"
            for key in sorted(old.keys() & new.keys())
            if old[key] != new[key]
        ),
    ]


def _changed_databases(evidence: Evidence, root: str) -> set[int]:
    prefix = join(root, "base") + "/"
    numbers = {
        path[len(prefix) :].partition("/")[0]
        for path in evidence.changes
        if path.startswith(prefix)
    }
    return {int(number) for number in numbers if number.isdigit()}


def _gained(old: Role | None, new: Role) -> list[str]:
    """Return the dangerous rights that a role did not have."""
    before = old.rights if old is not None else ()
    wanted = ("superuser", *_DANGEROUS_RIGHTS)
    return [right for right in wanted if right in new.rights and right not in before]


def _kind(table: Table) -> tuple[str, ...]:
    return () if table.kind == "table" else (table.kind,)


def _text(rows: Rows | None) -> str | None:
    return None if rows is None else str(rows)


def _short(name: str) -> str:
    return shorten(name, _NAME)
