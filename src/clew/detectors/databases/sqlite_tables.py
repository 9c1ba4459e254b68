"""Comparison of two versions of a SQLite database: tables added, dropped or changed."""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.databases.migrations import MIGRATION_TABLES, migration_marks
from clew.detectors.databases.sqlite_rows import RowComparison, Version
from clew.detectors.databases.sqlite_schema import DAMAGED, Columns
from clew.model.fact import Fact, Severity
from clew.model.shorten import shorten
from clew.policy.table_losses import are_most_rows, has_passing_rows

_NAME = 80
_MARKS = 12
_RENAMES = 50
"""How many pairs of tables are compared for a rename."""
_MIGRATIONS = 40


class TableComparison:
    """What changed between two versions."""

    def __init__(self, scope: str, old: Version, new: Version, rows: RowComparison) -> None:
        self._scope = scope
        self._old = old
        self._new = new
        self._rows = rows
        self.is_certain = True
        """Whether everything that could differ was compared."""

    def facts(self, *, is_thorough: bool = False) -> list[Fact]:
        """Return what changed; `is_thorough` also compares rows whose pages are the same."""
        self.is_certain = True
        renamed = self._renamed()
        before, after = self._old.schema.tables, self._new.schema.tables
        found = []
        for name in sorted({*before, *after} - set(renamed.values())):
            origin = renamed.get(name, name)
            if origin not in before:
                found.append(self._fact("table.added", name, after=self._new.rows.get(name)))
            elif name not in after:
                was = self._old.rows.get(name)
                # an empty table is easy to recreate
                is_loss = was is None or was.number > 0
                severity = Severity.HIGH if is_loss else Severity.NONE
                found.append(self._fact("table.removed", name, before=was, severity=severity))
            else:
                found += self._changed(origin, name, is_thorough)
        return [*found, *self._views()]

    def _changed(self, origin: str, name: str, is_thorough: bool) -> Iterator[Fact]:
        was, now = self._old.rows.get(origin), self._new.rows.get(name)
        dropped: list[str] = []
        marks = list(self._schema_marks(origin, name, dropped))
        if origin != name:
            marks.insert(0, f"renamed from {_short(origin)}")
        elif was == now and not marks and name in self._old.leaves:
            edited = self._rows.edited(name, name, is_thorough=is_thorough)
            self.is_certain = self.is_certain and edited is not None
            if edited:
                rows = f"{edited:,} {'row' if edited == 1 else 'rows'} edited"
                marks = self._migrations(name) or [rows]
        if name in self._new.damaged and origin not in self._old.damaged:
            marks.append(DAMAGED)
        if was != now:
            marks += self._migrations(name)
        if marks or (was != now and was is not None and now is not None):
            severity = Severity.NONE
            is_column_lost = dropped and (was is None or was.number > 0)
            if is_column_lost or self._is_loss(name):
                severity = Severity.HIGH
            elif DAMAGED in marks:  # a note only: it may have been captured during a write
                severity = Severity.NOTE
            yield self._fact("table.changed", name, was, now, severity, tuple(marks[:_MARKS]))

    def _fact(
        self, kind: str, name: str, before: object = None, after: object = None,
        severity: str = Severity.NONE, marks: tuple[str, ...] = (),
    ) -> Fact:  # fmt: skip
        old, new = (None if rows is None else str(rows) for rows in (before, after))
        return Fact(kind, self._scope, _short(name), old, new, severity=severity, marks=marks)

    def _is_loss(self, name: str) -> bool:
        was, now = self._old.rows.get(name), self._new.rows.get(name)
        if was is None or now is None or has_passing_rows(name):
            return False
        return are_most_rows(was.number - now.number, was.number)

    def _renamed(self) -> dict[str, str]:
        """Return new names with old ones: a renamed table keeps its definition and rows."""
        before, after = self._old.schema.tables, self._new.schema.tables
        gone: dict[object, str] = {}
        for name, table in before.items():
            rows = self._old.rows.get(name)
            if name not in after and rows is not None and rows.number:
                gone[_body(table.definition), str(rows)] = name
        found: dict[str, str] = {}
        for name, table in after.items():
            key = _body(table.definition), str(self._new.rows.get(name))
            if name in before or key not in gone or len(found) >= _RENAMES:
                continue
            old = gone[key]
            edited = self._rows.edited(old, name, is_thorough=True)
            # a table created after another was dropped may reuse its page
            if edited == 0 or (edited is None and before[old].root == table.root):
                found[name] = gone.pop(key)
        return found

    def _schema_marks(self, origin: str, name: str, dropped: list[str]) -> Iterator[str]:
        """Yield how a table's definition changed, and add dropped columns to `dropped`."""
        was, now = self._old.schema.tables[origin], self._new.schema.tables[name]
        if _body(was.definition) != _body(now.definition):
            marks = list(self._column_marks(origin, name, dropped))
            yield from marks or ["definition changed"]
        yield from _named_marks("index", dict(was.indexes), dict(now.indexes))
        yield from _named_marks("trigger", dict(was.triggers), dict(now.triggers))

    def _column_marks(self, origin: str, name: str, dropped: list[str]) -> Iterator[str]:
        first, second = self._columns(self._old, origin), self._columns(self._new, name)
        renamed = self._renamed_columns(origin, name, first, second)
        yield from (f"column {_short(old)} renamed {_short(new)}" for old, new in renamed.items())
        old = {renamed.get(column, column): kind for column, kind, _ in first}
        new = {column: kind for column, kind, _ in second}
        dropped += [column for column in old if column not in new]
        yield from (f"+column {_short(column)}" for column in new if column not in old)
        yield from (f"-column {_short(column)}" for column in dropped)
        yield from (
            f"type of {_short(column)} changed"
            for column in new
            if column in old and old[column].lower() != new[column].lower()
        )

    def _renamed_columns(
        self, origin: str, name: str, old: Columns, new: Columns
    ) -> dict[str, str]:
        """Return columns with other names: they keep place, type and values."""
        pairs = [(one, other) for one, other in zip(old, new, strict=False) if one[0] != other[0]]
        names = {column for column, *_ in old}
        is_possible = len(old) == len(new) and all(
            one[1:] == other[1:] and other[0] not in names for one, other in pairs
        )
        if not pairs or not is_possible or self._rows.edited(origin, name):
            return {}
        return {one[0]: other[0] for one, other in pairs}

    def _columns(self, version: Version, name: str) -> Columns:
        return version.file.columns(name) if version.file is not None else ()

    def _migrations(self, name: str) -> list[str]:
        columns = MIGRATION_TABLES.get(name)
        if columns is None or self._old.file is None or self._new.file is None:
            return []
        before, after = (
            file.texts(name, columns, _MIGRATIONS) for file in (self._old.file, self._new.file)
        )
        return migration_marks(before, after)

    def _views(self) -> Iterator[Fact]:
        before, after = self._old.schema.views, self._new.schema.views
        for name in sorted({*before, *after}):
            if name not in before:
                yield self._fact("table.added", name, marks=("view",))
            elif name not in after:
                yield self._fact("table.removed", name, marks=("view",))
            elif before[name] != after[name]:
                yield self._fact("table.changed", name, marks=("view changed",))


def _named_marks(what: str, old: dict[str, str], new: dict[str, str]) -> Iterator[str]:
    yield from (f"+{what} {_short(name)}" for name in new if name not in old)
    yield from (f"-{what} {_short(name)}" for name in old if name not in new)
    yield from (
        f"{what} {_short(name)} changed" for name in new if name in old and old[name] != new[name]
    )


def _body(definition: str) -> str:
    """Return a definition without the table's name, in any quotes."""
    return "".join(definition.partition("(")[2].split())


def _short(name: str) -> str:
    return shorten(name, _NAME)
