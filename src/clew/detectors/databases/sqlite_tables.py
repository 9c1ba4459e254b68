"""Comparison of two SQLite schemas: tables added, dropped or changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clew.detectors.databases.sqlite_reading import Schema, SqliteTable
from clew.model.fact import Fact, Severity
from clew.model.shorten import shorten

_NAME = 80
_MARKS = 12
_FEW_ROWS = 10
"""The largest loss of rows that raises no warning."""

Digest = Callable[[str, SqliteTable], "int | None"]
"""Returns a hash of a table's rows, or None if there are too many."""


def compare(
    scope: str,
    before: Schema,
    after: Schema,
    digests: tuple[Digest, Digest] | None,
    whole: str = "",
) -> tuple[list[Fact], bool]:
    """Return what changed, and whether everything that could differ was compared.

    `whole` says what happened to the database itself, if its tables were added or dropped with it.
    """
    facts: list[Fact] = []
    is_certain = True
    is_loss = any(table.rows != 0 for table in before.tables.values()) if whole else None
    renamed = _renamed(before.tables, after.tables, digests)
    for name in sorted({*before.tables, *after.tables} - set(renamed.values())):
        was, now = before.tables.get(renamed.get(name, name)), after.tables.get(name)
        if was is None or now is None:
            fact = _added_or_dropped(scope, name, was, now)
            if whole:
                is_severe = is_loss and now is None
                severity = Severity.HIGH if is_severe else Severity.NONE
                fact = fact._replace(marks=(whole,), severity=severity)
            facts.append(fact)
            continue
        marks = [*_schema_marks(was, now)]
        if name in renamed:
            marks.insert(0, f"renamed from {_short(renamed[name])}")
        elif not marks and digests and _rows(was) == _rows(now):
            same = _same_rows(name, was, now, digests)
            marks += ["rows edited"] if same is False else []
            is_certain = is_certain and same is not None
        if marks or _rows(was) != _rows(now):
            facts.append(
                Fact(
                    "table.changed", scope, _short(name), _rows(was), _rows(now),
                    severity=_severity(was, now), marks=tuple(marks[:_MARKS]),
                )
            )  # fmt: skip
    return facts, is_certain


def _added_or_dropped(
    scope: str, name: str, was: SqliteTable | None, now: SqliteTable | None
) -> Fact:
    if now is not None:
        return Fact("table.added", scope, _short(name), after=_rows(now))
    before = _rows(was) if was is not None else None
    # an empty table is easy to recreate
    severity = Severity.NONE if before == "0" else Severity.HIGH
    return Fact("table.removed", scope, _short(name), before=before, severity=severity)


def _renamed(
    before: dict[str, SqliteTable],
    after: dict[str, SqliteTable],
    digests: tuple[Digest, Digest] | None,
) -> dict[str, str]:
    """Return new names with old ones: a renamed table keeps its root page, columns and rows."""
    gone: dict[object, str] = {
        (table.root, table.columns, table.rows): name
        for name, table in before.items()
        if name not in after and table.root and table.rows
    }
    found: dict[str, str] = {}
    for name, table in after.items():
        old = gone.get((table.root, table.columns, table.rows)) if name not in before else None
        if old is None or digests is None:
            continue
        # a table created after another was dropped may reuse its page
        if digests[0](old, before[old]) == digests[1](name, table):
            found[name] = old
    return found


def _schema_marks(was: SqliteTable, now: SqliteTable) -> Iterator[str]:
    old = {name: kind for name, kind, _ in was.columns}
    new = {name: kind for name, kind, _ in now.columns}
    yield from (f"+column {_short(name)}" for name in new if name not in old)
    yield from (f"-column {_short(name)}" for name in old if name not in new)
    yield from (
        f"type of {_short(name)} changed"
        for name in new
        if name in old and old[name].lower() != new[name].lower()
    )
    yield from _named_marks("index", dict(was.indexes), dict(now.indexes))
    yield from _named_marks("trigger", dict(was.triggers), dict(now.triggers))
    if old == new and _body(was.definition) != _body(now.definition):
        yield "definition changed"


def _named_marks(what: str, old: dict[str, str], new: dict[str, str]) -> Iterator[str]:
    yield from (f"+{what} {_short(name)}" for name in new if name not in old)
    yield from (f"-{what} {_short(name)}" for name in old if name not in new)
    yield from (
        f"{what} {_short(name)} changed" for name in new if name in old and old[name] != new[name]
    )


def _body(definition: str) -> str:
    """Return a definition without the table's name, in any quotes."""
    return "".join(definition.partition("(")[2].split())


def _same_rows(
    name: str, was: SqliteTable, now: SqliteTable, digests: tuple[Digest, Digest]
) -> bool | None:
    """Return whether two tables have the same rows, or None if unknown."""
    first = digests[0](name, was)
    second = digests[1](name, now) if first is not None else None
    return None if first is None or second is None else first == second


def _rows(table: SqliteTable) -> str | None:
    if table.rows is None:
        return None
    return f"~{table.rows}" if table.is_estimate else str(table.rows)


def _severity(was: SqliteTable, now: SqliteTable) -> str:
    if was.rows is None or now.rows is None:
        return Severity.NONE
    lost = was.rows - now.rows
    return Severity.HIGH if lost > _FEW_ROWS and 2 * lost > was.rows else Severity.NONE


def _short(name: str) -> str:
    return shorten(name, _NAME)
