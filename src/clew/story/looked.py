"""Looked-up facts: tables that appeared, vanished or lost rows, from two looks at running servers."""

from __future__ import annotations

from collections.abc import Iterator

from clew.model.amount import counted
from clew.model.database_look import UNKNOWN, DatabaseLook, LookedServer
from clew.model.fact import Fact, FactBasis, Severity
from clew.model.shorten import shorten
from clew.policy.table_losses import are_most_rows, has_passing_rows, is_disposable

_NAME = 80


def looked_facts(before: DatabaseLook | None, after: DatabaseLook | None) -> list[Fact]:
    """Return facts about the tables of running servers; none if one checkpoint has no look."""
    if before is None or after is None:
        return []
    old = {(one.kind, one.directory): one for one in before.servers if not one.problem}
    facts: list[Fact] = []
    for new in after.servers:
        was = old.get((new.kind, new.directory))
        if was is not None and not new.problem:
            facts += _server_facts(was, new)
    return [fact._replace(basis=FactBasis.LIVE) for fact in facts]


def _server_facts(old: LookedServer, new: LookedServer) -> Iterator[Fact]:
    before = {database.name: database for database in old.databases}
    after = {database.name: database for database in new.databases}
    is_quiet = is_disposable(new.directory)
    for name in sorted(before.keys() - after.keys()):
        severity = Severity.NONE if is_quiet or is_disposable(name) else Severity.HIGH
        mark = f"database {_short(name)} dropped ({counted(len(before[name].tables), 'table')})"
        yield Fact("data.changed", new.kind, new.directory, severity=severity, marks=(mark,))
    for name in sorted(after.keys() - before.keys()):
        marks = (f"new database {_short(name)}",)
        yield Fact("data.changed", new.kind, new.directory, marks=marks)
    for name in sorted(before.keys() & after.keys()):
        scope = f"{new.kind}:{new.directory}:{name}"
        first, second = (dict(one[name].tables) for one in (before, after))
        for fact in _table_facts(scope, first, second, has_counts=new.kind == "postgres"):
            is_calm = is_quiet or is_disposable(name)
            yield fact._replace(severity=Severity.NONE) if is_calm else fact
    for role in sorted(set(new.superusers) - set(old.superusers)):
        marks = ("PostgreSQL superuser",)
        yield Fact("security.account", new.kind, _short(role), severity=Severity.HIGH, marks=marks)


def _table_facts(
    scope: str, before: dict[str, int], after: dict[str, int], *, has_counts: bool
) -> Iterator[Fact]:
    """Yield what happened to tables; without counts, the server only guesses how many rows it has."""
    for name in sorted(before.keys() | after.keys()):
        was, now = before.get(name), after.get(name)
        if was is None:
            yield Fact("table.added", scope, _short(name), after=_rows(now))
        elif now is None:
            severity = Severity.NONE if was == 0 else Severity.HIGH
            yield Fact("table.removed", scope, _short(name), _rows(was), severity=severity)
        elif has_counts and was != now and UNKNOWN not in (was, now):
            is_loss = are_most_rows(was - now, was) and not has_passing_rows(name)
            severity = Severity.HIGH if is_loss else Severity.NONE
            yield Fact(
                "table.changed", scope, _short(name), _rows(was), _rows(now), severity=severity
            )


def _rows(number: int | None) -> str | None:
    return None if number is None or number == UNKNOWN else f"~{number}"


def _short(name: str) -> str:
    return shorten(name, _NAME)
