"""Comparison of two versions of a table: columns added, removed, renamed or emptied, and rows edited.

Values are compared, never shown.  A column is named only if the first line is certainly a header: it
has a name that most tables have, or a word above a column of numbers or dates.
Otherwise a column has a number.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from clew.detectors.files.key_names import HIDDEN, shown_name
from clew.model.amount import counted
from clew.model.named_tuple import NamedTuple

LIMIT = 2 << 20
"""Larger tables are not compared."""
_MAX_COLUMNS = 400
_MAX_NAME = 60
_SHOWN = 4
_LEAST = 5
"""Fewer rows do not tell what a column holds."""
_FEW = 20
"""Fewer values than this are no loss."""
_SEPARATORS = (",", ";", "\t", "|")
_BLANK = frozenset(
    form
    for word in (
        "",
        " ",
        "null",
        "nan",
        "none",
        "na",
        "n/a",
        "\\n",
        "-",
        "nat",
        "undefined",
        "#n/a",
    )
    for form in (word, word.upper(), word.title(), "NaN", "NaT")
)
"""Values that say that there is none."""
_COMMON = frozenset((
    "id", "_id", "uuid", "key", "name", "first_name", "last_name", "firstname", "lastname", "email",
    "e-mail", "mail", "phone", "address", "city", "country", "date", "day", "month", "year", "time",
    "timestamp", "created", "created_at", "updated_at", "price", "total", "amount", "quantity", "count",
    "value", "status", "state", "type", "category", "title", "description", "text", "label", "url",
    "lat", "lon", "latitude", "longitude", "sku", "code", "user", "user_id", "customer", "order_id",
))  # fmt: skip
"""Names of columns that most tables have."""
_SHAPE = re.compile(r"[A-Za-z_](?:[A-Za-z_ ./()%#-]|[0-9]{1,2}(?![0-9])){0,40}")
"""What a name of a column looks like; longer numbers are data."""
_VALUE = re.compile(r"[-+]?[0-9][0-9.,:/ TZ+-]{0,40}|[^@\s]{1,60}@[^@\s]{1,60}")
"""A number, a date, a time or an address: no name of a column."""

Row = tuple[str, ...]


class Table(NamedTuple):
    """The names of the columns, and the rows."""

    names: tuple[str, ...]
    """Empty if there is no header."""
    rows: list[Row]


class TableChange(NamedTuple):
    """What changed in a table, in words."""

    marks: tuple[str, ...]
    is_loss: bool
    """Whether a column lost the values of most rows."""


def read_separated(content: bytes, suffix: str) -> Table | None:
    """Return a table of CSV or TSV; None if it cannot be read."""
    text = content.decode("utf-8-sig", "replace")
    first = text[: text.find("\n")] if "\n" in text else text
    separator = "\t" if suffix == ".tsv" else max(_SEPARATORS, key=first.count)
    try:
        rows = [
            tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        ]
    except (csv.Error, ValueError):
        return None
    rows = [row for row in rows if row]
    if not rows or len(rows[0]) > _MAX_COLUMNS:
        return None
    return Table(rows[0], rows[1:]) if _is_header(rows[0]) else Table((), rows)


def read_lines(content: bytes) -> Table | None:
    """Return a table of JSON Lines: its fields are the columns; None if it cannot be read."""
    try:
        records = [json.loads(line) for line in content.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None
    if not all(isinstance(one, dict) for one in records):
        return None
    names = tuple(dict.fromkeys(str(key) for one in records for key in one))
    if len(names) > _MAX_COLUMNS:
        return None
    return Table(names, [tuple(_text(one.get(name)) for name in names) for one in records])


def compare_tables(old: Table, new: Table, *, has_names: bool = False) -> TableChange:
    """Return what changed; `has_names` says that the names of the columns are certainly names."""
    if not old.names or not new.names:
        return _without_names(old, new)
    is_certain = has_names or _is_certain(old)
    renamed = _renamed(old, new)
    gone = [at for at, name in enumerate(old.names) if name not in new.names and at not in renamed]
    came = [one for one in new.names if one not in old.names and one not in renamed.values()]
    marks = [f"column {_name(old, at, is_certain)} removed" for at in gone[:_SHOWN]]
    marks += [f"{len(gone) - _SHOWN:,} more columns removed"] if len(gone) > _SHOWN else []
    marks += [f"column {_shown(old.names[at])} renamed {_shown(name)}"
              for at, name in renamed.items() if is_certain][:_SHOWN]  # fmt: skip
    marks += [f"+column {_shown(name)}" for name in came[:_SHOWN] if is_certain]
    lost = [_filled(old, at) for at in gone]
    is_loss = any(_is_most(number, len(old.rows)) for number in lost)
    emptied = list(_emptied(old, new)) if len(old.rows) == len(new.rows) else []
    for at, number, before in emptied[:_SHOWN]:
        rows = counted(number, "row")
        marks.append(f"{_name(old, at, is_certain, 'column ')} emptied in {rows}")
        is_loss = is_loss or (number >= _FEW and 2 * number >= before)
    return TableChange(tuple(marks) or _edited(old, new), is_loss)


def _text(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else repr(value)


def _is_header(row: Row) -> bool:
    is_named = all(name.strip() and len(name) <= _MAX_NAME and "\n" not in name for name in row)
    return is_named and len(set(row)) == len(row) and not any(map(_VALUE.fullmatch, row))


def _is_certain(table: Table) -> bool:
    """Return whether a first line is certainly a header."""
    if any(name.strip().lower() in _COMMON for name in table.names):
        return True
    values = [row for row in table.rows[:_FEW] if len(row) == len(table.names)]
    columns = zip(*values, strict=True)
    return len(values) >= _LEAST and any(all(map(_VALUE.fullmatch, one)) for one in columns)


def _name(table: Table, at: int, is_certain: bool, before: str = "") -> str:
    return _shown(table.names[at]) if is_certain else f"{before}{at + 1}"


def _shown(name: str) -> str:
    return shown_name(name) if _SHAPE.fullmatch(name) else HIDDEN


def _column(table: Table, at: int) -> Iterator[str]:
    return (row[at] if at < len(row) else "" for row in table.rows)


def _filled(table: Table, at: int) -> int:
    return sum([row[at] not in _BLANK for row in table.rows if len(row) > at])


def _is_most(number: int, rows: int) -> bool:
    return number >= _FEW and 2 * number > rows


def _renamed(old: Table, new: Table) -> dict[int, str]:
    """Return columns at the same place with the same values and another name."""
    if len(old.names) != len(new.names) or len(old.rows) != len(new.rows):
        return {}
    return {
        at: name
        for at, name in enumerate(new.names)
        if name not in old.names
        and old.names[at] not in new.names
        and all(one == other for one, other in zip(_column(old, at), _column(new, at), strict=True))
    }


def _emptied(old: Table, new: Table) -> Iterator[tuple[int, int, int]]:
    """Yield columns with fewer values: their place, how many are gone, how many there were."""
    places = {name: at for at, name in enumerate(new.names)}
    for at, name in enumerate(old.names):
        if name in places:
            before = _filled(old, at)
            gone = before - _filled(new, places[name])
            if gone > 0:
                yield at, gone, before


def _edited(old: Table, new: Table) -> tuple[str, ...]:
    if old.names != new.names or len(old.rows) != len(new.rows):
        return ()
    edited = (Counter(old.rows) - Counter(new.rows)).total()
    if edited:
        return (f"{counted(edited, 'row')} edited",)
    return ("another order",) if old.rows != new.rows else ("same values",)


def _without_names(old: Table, new: Table) -> TableChange:
    widths = [_width(table.rows) for table in (old, new)]
    if 0 in widths or widths[0] <= widths[1]:
        return TableChange(_edited(old, new), is_loss=False)
    columns = f"{widths[0]:,} → {counted(widths[1], 'column')}"
    return TableChange((columns,), is_loss=len(new.rows) >= _FEW)


def _width(rows: Sequence[Row]) -> int:
    """Return how many fields each row has; 0 if they differ."""
    widths = {len(row) for row in rows}
    return widths.pop() if len(widths) == 1 else 0
