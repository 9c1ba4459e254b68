"""What is compared of a SQLite database: tables, columns, indexes, triggers, views and rows."""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple

DAMAGED = "damaged, could be read before"

Columns = tuple[tuple[str, str, bool], ...]
"""Name, declared type, and whether the values are stored."""

Definition = tuple[str, str, str, int, str]
"""Type, name, table, root page and SQL, as in the schema table."""

_DOCUMENTS = ("_docsize", "_content", "_rowid")
"""Suffixes of the shadow tables whose rows are counted: full text, and R-trees."""
_SHADOWS = (
    *_DOCUMENTS, "_data", "_idx", "_config", "_segments", "_segdir", "_stat", "_node", "_parent",
)  # fmt: skip


class SqliteTable(NamedTuple):
    """One table; its columns and rows are read where they are needed."""

    definition: str = ""
    root: int = 0
    """Its root page, or that of the shadow table with its rows; zero if there is none."""
    is_virtual: bool = False
    indexes: tuple[tuple[str, str], ...] = ()
    """Name and definition."""
    triggers: tuple[tuple[str, str], ...] = ()


class Schema(NamedTuple):
    """The schema of a database, without SQLite's internal tables."""

    tables: dict[str, SqliteTable]
    views: dict[str, str]


NOTHING = Schema({}, {})


def schema_of(definitions: list[Definition]) -> Schema:
    """Return the schema that the rows of a schema table describe."""
    attached: dict[tuple[str, str], list[tuple[str, str]]] = {}
    roots: dict[str, tuple[int, str]] = {}
    for kind, name, table, root, sql in definitions:
        if kind in ("index", "trigger") and sql:  # indexes of constraints have none
            attached.setdefault((kind, table.lower()), []).append((name, sql))
        elif kind == "table" and not name.lower().startswith("sqlite_"):
            roots[name] = root, sql
    hidden = _shadows(roots)
    tables = {
        name: SqliteTable(
            sql,
            root or _documents(name, roots, hidden),
            not root,
            tuple(sorted(attached.get(("index", name.lower()), ()))),
            tuple(sorted(attached.get(("trigger", name.lower()), ()))),
        )
        for name, (root, sql) in sorted(roots.items())
        if name not in hidden
    }
    return Schema(tables, {name: sql for kind, name, _, _, sql in definitions if kind == "view"})


def _shadows(roots: dict[str, tuple[int, str]]) -> dict[str, str]:
    """Return the shadow tables of virtual tables, with their owners."""
    return {
        name + ending: name
        for name, (root, _) in roots.items()
        if not root
        for ending in _SHADOWS
        if name + ending in roots
    }


def _documents(name: str, roots: dict[str, tuple[int, str]], hidden: dict[str, str]) -> int:
    """Return the root page of the shadow table that has a row for each row of a virtual table."""
    for ending in _DOCUMENTS:
        if hidden.get(name + ending) == name:
            return roots[name + ending][0]
    return 0
