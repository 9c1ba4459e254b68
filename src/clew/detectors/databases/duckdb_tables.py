"""Comparison of two versions of a DuckDB file: tables added, dropped, renamed, or with other rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clew.detectors.databases.duckdb_catalogue import DuckTable, duckdb_tables
from clew.detectors.detector import ContentReader
from clew.model.fact import Fact, Severity
from clew.model.shorten import shorten
from clew.policy.table_losses import are_most_rows, has_passing_rows

_NAME = 80
_MOST = 60

Tables = Mapping[str, DuckTable]


def duckdb_facts(
    path: str, old: ContentReader | None, new: ContentReader | None, *, is_kept: bool
) -> list[Fact]:
    """Return what changed in the catalogue; nothing if one of both cannot be read."""
    before = duckdb_tables(old) if old is not None else None
    after = duckdb_tables(new) if new is not None else None
    if before is None or after is None:
        return []
    found = [
        fact._replace(
            scope=f"duckdb:{path}", subject=shorten(fact.subject, _NAME), evidence=(path,)
        )
        for fact in _changes(before, after)
    ]
    if is_kept:
        found = [fact._replace(severity=Severity.NONE) for fact in found]
    return found[:_MOST]


def _changes(before: Tables, after: Tables) -> Iterator[Fact]:
    renamed = _renamed(before, after)
    for name, table in before.items():
        if name in after:
            yield from _changed(name, table.rows, after[name].rows)
        elif name not in renamed.values():
            severity = Severity.NONE if table.rows == 0 else Severity.HIGH
            yield Fact("table.removed", "", name, _text(table.rows), severity=severity)
    for name, table in after.items():
        if name in renamed:
            marks = (f"renamed from {shorten(renamed[name], _NAME)}",)
            rows = _text(table.rows)
            yield Fact("table.changed", "", name, rows, rows, marks=marks)
        elif name not in before:
            yield Fact("table.added", "", name, after=_text(table.rows))


def _changed(name: str, was: int | None, now: int | None) -> Iterator[Fact]:
    if was is not None and now is not None and was != now:
        is_loss = are_most_rows(was - now, was) and not has_passing_rows(name)
        severity = Severity.HIGH if is_loss else Severity.NONE
        yield Fact("table.changed", "", name, _text(was), _text(now), severity=severity)


def _renamed(before: Tables, after: Tables) -> dict[str, str]:
    """Return new names with old ones: a renamed table keeps its columns and its rows."""
    gone = {table: name for name, table in before.items() if name not in after and table.rows}
    return {
        name: gone.pop(table)
        for name, table in after.items()
        if name not in before and table in gone
    }


def _text(rows: int | None) -> str | None:
    """Return about how many rows there are: deleted ones count until their place is freed."""
    return None if rows is None else f"~{rows}" if rows else "0"
