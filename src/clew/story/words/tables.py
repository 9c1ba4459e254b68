"""Words for tables of databases."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.amount import counted
from clew.model.fact import Fact, FactBasis, Severity
from clew.story.words.phrases import NAMED_ON_CARD, NUMBERS, Phrase, base, some

_WHOLE_DATABASE = {
    "new database": "new",
    "database removed": "removed",
    "database emptied": "emptied",
    "database dropped": "dropped",
    "no database any more": "is no database any more",
}
"""Marks of tables added or deleted with their database."""
_OLDER_COPY = "replaced by an older copy"
_SERVERS = {"postgres": "PostgreSQL", "mysql": "MySQL", "mariadb": "MariaDB"}
_KINDS = ("view", "materialized view", "foreign table")
"""Marks of what is not a table."""
_DROPPED = ("column", "index", "trigger")


def tables(facts: Sequence[Fact]) -> Phrase:
    short, long = _database(facts[0].scope)
    if all(fact.basis == FactBasis.LIVE for fact in facts):
        short, long = f"{short} (live)", f"{long} (live)"
    if all(fact.marks and fact.marks[0] in _WHOLE_DATABASE for fact in facts):
        return _whole_database(short, long, facts)
    if any(_OLDER_COPY in fact.marks for fact in facts):
        return _older_copy(short, long, facts)
    ordered = sorted(facts, key=_order)
    parts = [_table(fact) for fact in ordered]
    if len(facts) > 1 and all(map(_is_emptied, facts)):
        rows = sum(_number(fact.before) or 0 for fact in facts)
        brief = f"all {rows:,} rows of {len(facts):,} tables lost"
        return Phrase(f"{short}: {brief}", f"{long}: {some(parts, 8)}")
    more = f" and {len(parts) - 1:,} more" if len(parts) > 1 else ""
    return Phrase(
        f"{short}: {parts[0]}{more}",
        f"{long}: {some(parts, 8)}",
        f"{short}: {_brief(ordered[0])}{more}",
    )


def _database(scope: str) -> tuple[str, str]:
    """Return a database in few words, and with its place."""
    kind, _, place = scope.partition(":")
    if kind not in _SERVERS:
        return base(place), place
    directory, _, name = place.rpartition(":")
    return f"{_SERVERS[kind]} {name}", f"{_SERVERS[kind]} {name} in {directory}"


def _whole_database(short: str, long: str, facts: Sequence[Fact]) -> Phrase:
    mark, *more = facts[0].marks
    rows = sum(_number(fact.after or fact.before) or 0 for fact in facts)
    about = "~" if any("~" in (fact.after or fact.before or "") for fact in facts) else ""
    size = f"{counted(len(facts), 'table')}, {about}{counted(rows, 'row')}"
    names = some([fact.subject for fact in facts], NAMED_ON_CARD)
    noted = "".join(f"; {note}" for note in more)
    verb = _WHOLE_DATABASE[mark]
    return Phrase(
        f"{short} {verb} ({size}{noted})",
        f"{long} {verb} ({size}: {names}{noted})",
        f"{short} {verb} ({size})",
    )


def _older_copy(short: str, long: str, facts: Sequence[Fact]) -> Phrase:
    plain = [
        fact._replace(marks=tuple(mark for mark in fact.marks if mark != _OLDER_COPY))
        for fact in facts
    ]
    parts = [_table(fact) for fact in sorted(plain, key=_order)]
    more = f" and {len(parts) - 1:,} more" if len(parts) > 1 else ""
    return Phrase(
        f"{short} {_OLDER_COPY} ({parts[0]}{more})",
        f"{long} {_OLDER_COPY}: {some(parts, 8)}",
        f"{short} {_OLDER_COPY}",
    )


def _order(fact: Fact) -> tuple[int, int]:
    """Sort key: dropped tables first, then lost rows and columns, then the rest."""
    if fact.kind == "table.removed":
        return 0, -(_number(fact.before) or 0)
    if fact.severity == Severity.HIGH:
        return 1, -(_lost(fact) or 0)
    if fact.kind == "table.added":
        return 2, 0
    is_only_rows = all(
        mark.endswith((" row edited", " rows edited")) or "migration " in mark[:11]
        for mark in fact.marks
    )
    before, after = _number(fact.before), _number(fact.after)
    return (4 if is_only_rows else 3), -abs((after or 0) - (before or 0))


def _table(fact: Fact) -> str:
    if fact.kind == "table.added":
        rows = f" ({_rows(fact.after)})" if fact.after else ""
        return f"new {_kind(fact)} {fact.subject}{rows}"
    if fact.kind == "table.removed":
        details = [_rows(fact.before)] if fact.before else []
        details += [mark for mark in fact.marks if mark not in _KINDS]
        return _brief(fact) + (f" ({', '.join(details)})" if details else "")
    marks = [_mark(mark) for mark in fact.marks]
    if _columns(fact) and len(_columns(fact)) == len(marks) and fact.before == fact.after:
        rows = f" ({_rows(fact.before)})" if fact.before else ""
        return _brief(fact) + rows
    if fact.before != fact.after and fact.before and fact.after:
        return ", ".join([_changed_rows(fact), *marks])
    return f"{fact.subject} {', '.join(marks)}".strip()


def _brief(fact: Fact) -> str:
    """Return the shortest sentence about a table."""
    columns = _columns(fact)
    if fact.kind == "table.removed":
        return f"{_kind(fact)} {fact.subject} dropped"
    if columns and fact.before == fact.after:
        word = "column" if len(columns) == 1 else "columns"
        return f"{word} {some(columns, 2)} of {fact.subject} dropped"
    if fact.kind == "table.changed" and fact.before and fact.after and fact.before != fact.after:
        return _changed_rows(fact)
    return _table(fact)


def _kind(fact: Fact) -> str:
    return next((mark for mark in fact.marks if mark in _KINDS), "table")


def _changed_rows(fact: Fact) -> str:
    lost = _lost(fact)
    before, after = fact.before or "", fact.after or ""
    if fact.severity != Severity.HIGH or lost is None or lost <= 0:
        return f"{fact.subject} {_grouped(before)} → {_rows(after)}"
    if _is_emptied(fact):
        return f"{fact.subject} lost all {_rows(before)}"
    about = "~" if "~" in before + after else ""
    return f"{fact.subject} lost {about}{lost:,} of {_rows(before)}"


def _is_emptied(fact: Fact) -> bool:
    is_loud = fact.severity == Severity.HIGH and fact.kind == "table.changed"
    return is_loud and _number(fact.after) == 0 and bool(_number(fact.before))


def _lost(fact: Fact) -> int | None:
    before, after = _number(fact.before), _number(fact.after)
    return None if before is None or after is None else before - after


def _columns(fact: Fact) -> list[str]:
    """Return the dropped columns."""
    return [mark[len("-column ") :] for mark in fact.marks if mark.startswith("-column ")]


def _mark(mark: str) -> str:
    """Return a mark in words: `-index by_name` is `index by_name dropped`."""
    sign, word, name = mark[:1], *mark[1:].partition(" ")[::2]
    if word == "migration" and sign in "+-":
        return f"migration {name} {'applied' if sign == '+' else 'taken back'}"
    return f"{word} {name} dropped" if sign == "-" and word in _DROPPED else mark


def _number(text: str | None) -> int | None:
    number = (text or "").lstrip("~")
    return int(number) if number.isdigit() else None


def _rows(number: str | None) -> str:
    return f"{number} row" if number == "1" else f"{_grouped(number or '')} rows"


def _grouped(number: str) -> str:
    """Return `5,000` for `5000`, and anything else unchanged."""
    return NUMBERS.sub(lambda found: f"{int(found[0]):,}", number)
