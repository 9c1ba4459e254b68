"""Words for databases, data and containers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.model.amount import counted
from clew.model.fact import Fact, Severity
from clew.story.words.phrases import NAMED_ON_CARD, NUMBERS, Phrase, arrow, base, near, some


def tables(facts: Sequence[Fact]) -> Phrase:
    database = facts[0].scope.partition(":")[2]
    if all(fact.marks and fact.marks[0] in _WHOLE_DATABASE for fact in facts):
        return _whole_database(database, facts)
    parts = [_table(fact) for fact in sorted(facts, key=_tables_order)]
    brief = parts[0] + (f" and {len(parts) - 1:,} more" if len(parts) > 1 else "")
    return Phrase(f"{base(database)}: {brief}", f"{database}: {some(parts, 8)}")


_WHOLE_DATABASE = {
    "new database": "new",
    "database removed": "removed",
    "database emptied": "emptied",
    "no database any more": "is no database any more",
}
"""Marks of tables added or deleted with their file."""


def _whole_database(database: str, facts: Sequence[Fact]) -> Phrase:
    word = _WHOLE_DATABASE[facts[0].marks[0]]
    numbers = [(fact.after or fact.before or "").lstrip("~") for fact in facts]
    rows = sum(int(number) for number in numbers if number.isdigit())
    names = some([fact.subject for fact in facts], NAMED_ON_CARD)
    size = f"{counted(len(facts), 'table')}, {counted(rows, 'row')}"
    return Phrase(f"{base(database)} {word} ({size})", f"{database} {word} ({size}: {names})")


def _tables_order(fact: Fact) -> tuple[int, int]:
    """Sort key: tables first, then columns, then rows."""
    if fact.kind != "table.changed":
        return (0 if fact.kind == "table.removed" else 1), 0
    numbers = [text.lstrip("~") for text in (fact.before or "", fact.after or "")]
    rows = [int(number) for number in numbers if number.isdigit()]
    return (3 if fact.marks in ((), ("rows edited",)) else 2), -abs(
        rows[0] - rows[-1]
    ) if rows else 0


def _table(fact: Fact) -> str:
    if fact.kind == "table.added":
        text = f"new table {fact.subject}" + (f" ({_rows(fact.after)})" if fact.after else "")
    elif fact.kind == "table.removed":
        text = f"table {fact.subject} dropped" + (f" ({_rows(fact.before)})" if fact.before else "")
    elif fact.before != fact.after and fact.before and fact.after:
        text = f"{fact.subject} {_grouped(fact.before)} → {_rows(fact.after)}"
    else:
        text = fact.subject
    return " ".join(
        [text + ("," if fact.marks and fact.before != fact.after else ""), ", ".join(fact.marks)]
    ).strip()


def _rows(number: str | None) -> str:
    return f"{number} row" if number == "1" else f"{_grouped(number or '')} rows"


def _grouped(number: str) -> str:
    """Return `5,000` for `5000`, and anything else unchanged."""
    return NUMBERS.sub(lambda found: f"{int(found[0]):,}", number)


def data(facts: Sequence[Fact]) -> Phrase:
    brief = [_datum(fact, near) for fact in facts]
    more = f" and {len(facts) - 1:,} more" if len(facts) > 1 else ""
    short = some(brief, 1)
    return Phrase(
        short if len(short) <= _SHORT else brief[0] + more,
        some([_datum(fact, str) for fact in facts], NAMED_ON_CARD),
        _datum(facts[0], base) + more,
    )


_SHORT = 72


_SERVERS = {"postgres": "PostgreSQL", "mysql": "MySQL"}
"""Servers that must be named, because their directory alone is not informative."""


def _datum(fact: Fact, say: Callable[[str], str]) -> str:
    detail = ", ".join(fact.marks)
    name = f"{_SERVERS[fact.scope]} in " if fact.scope in _SERVERS else ""
    name += say(fact.subject)
    if fact.before and fact.after:
        detail = detail or arrow(fact)
    elif fact.after:
        detail = f"new, {detail or fact.after}"
    elif fact.before:
        return f"{name} removed ({detail or fact.before})"
    return f"{name}: {detail}" if detail else f"{name} changed"


def containers(facts: Sequence[Fact]) -> Phrase:
    words = {"added": "new", "changed": "changed", "removed": "removed"}
    parts = [f"{words[fact.kind.partition('.')[2]]} {fact.scope} {fact.subject}" for fact in facts]
    details = [_with_details(part, fact) for part, fact in zip(parts, facts, strict=True)]
    brief = [
        detail if fact.severity == Severity.HIGH else part
        for part, detail, fact in zip(parts, details, facts, strict=True)
    ]
    return Phrase(some(brief, 1), some(details, NAMED_ON_CARD))


def _with_details(text: str, fact: Fact) -> str:
    details = [arrow(fact)] if fact.before and fact.after else []
    details += fact.marks
    return f"{text} ({', '.join(details)})" if details else text
