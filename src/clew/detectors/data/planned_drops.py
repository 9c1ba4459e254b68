"""Migration detector: tables and columns that a migration will drop when it runs.

Nothing is dropped yet: the file says what will be.  Migrations in SQL, and those of Django, Alembic,
Rails, Laravel, Knex, Sequelize, TypeORM, Ecto, Entity Framework and Liquibase.
The part that undoes a migration is not read, and a table that is made again is not dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.edited_files import edited_files
from clew.detectors.files.key_names import shown_name
from clew.model.fact import Fact, Severity

_LIMIT = 256 << 10
_MAX_FILES = 60
_MAX_DROPS = 12
_DIRECTORIES = ("migrations", "migrate", "migration", "versions", "changelog", "changelogs", "flyway", "liquibase", "Migrations")  # fmt: skip
_PLACES = frozenset(_DIRECTORIES)
_SUFFIXES = (".sql", ".py", ".rb", ".js", ".mjs", ".cjs", ".ts", ".php", ".ex", ".exs", ".cs", ".kt", ".java", ".go", ".xml", ".yaml", ".yml")  # fmt: skip
_UNDO_NAME = re.compile(
    r"(?:^|[._-])(?:down|undo|rollback|revert)\.\w{1,5}$|^U\d[\w.]{0,40}__|^down$"
)
_UNDO = re.compile(
    r"^[ \t]*+(?:--[ \t]*+(?:\+\w{1,20} [Dd]own|migrate:down|//@UNDO|!Downs)|#[ -]*+!Downs"
    r"|(?:async[ \t]++)?def (?:downgrade|down)\b|exports\.down\b|(?:export[ \t]++)?(?:const|async function|function)[ \t]++down\b"
    r"|(?:(?:public|protected|private|override|async|static|function|void|fun|suspend)[ \t]++){0,4}[Dd]own[ \t]*+[(:=])",
    re.M,
)
_DO = re.compile(
    r"^[ \t]*+(?:--[ \t]*+(?:\+\w{1,20} [Uu]p|migrate:up|!Ups)|(?:async[ \t]++)?def (?:upgrade|up)\b|exports\.up\b"
    r"|(?:export[ \t]++)?(?:const|async function|function)[ \t]++up\b"
    r"|(?:(?:public|protected|private|override|async|static|function|void|fun|suspend)[ \t]++){0,4}[Uu]p[ \t]*+[(:=])",
    re.M,
)
_SQL_COMMENT = re.compile(r"--[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|'(?:[^'\\]|''|\\.)*+'", re.S)
_CODE_COMMENT = re.compile(r"^[ \t]*+(?:#|//)[^\n]*+", re.M)
_N = r"[`\"\[]?[\w$]{1,100}[`\"\]]?(?:\.[`\"\[]?[\w$]{1,100}[`\"\]]?){0,2}"
_IF = r"(?:IF[ \t\n]++EXISTS[ \t\n]++)?"
_SQL_DROP = re.compile(
    rf"\bDROP\s++(TABLE|SCHEMA|DATABASE|MATERIALIZED\s++VIEW|COLLECTION)\s++{_IF}({_N}(?:\s*+,\s*+{_N}){{0,20}})",
    re.I,
)
_SQL_ALTER = re.compile(rf"\bALTER\s++TABLE\s++(?:ONLY\s++)?{_IF}(?:ONLY\s++)?({_N})", re.I)
_SQL_COLUMN = re.compile(
    rf"\bDROP\s++(?:COLUMN\s++{_IF}|(?!CONSTRAINT|INDEX|PRIMARY|FOREIGN|KEY|PARTITION|DEFAULT|NOT|CHECK|IDENTITY|EXPRESSION|TABLE|TRIGGER|POLICY|COLUMN)(?=\w))({_N})",
    re.I,
)
_SQL_TRUNCATE = re.compile(rf"^\s*+TRUNCATE\s++(?:TABLE\s++)?(?:ONLY\s++)?({_N})", re.I)
_SQL_DELETE = re.compile(rf"^\s*+DELETE\s++FROM\s++(?:ONLY\s++)?({_N})\s*+$", re.I)
_MADE = re.compile(
    rf"\bCREATE\s++(?:OR\s++REPLACE\s++)?(?:TABLE|SCHEMA|DATABASE|MATERIALIZED\s++VIEW)\s++(?:IF\s++NOT\s++EXISTS\s++)?({_N})"
    rf"|\bRENAME\s++TO\s++({_N})",
    re.I,
)
_Q = r"[\"'`]"
_W = r"([\w.]{1,100})"
_CODE_TABLES = re.compile(
    rf"\bop\.drop_table\(\s*+{_Q}{_W}|\bDeleteModel\(\s*+(?:name\s*+=\s*+)?{_Q}{_W}|\bdrop_table\s*+\(?\s*+[:\"']{_W}"
    rf"|\bdropTable(?:IfExists)?\(\s*+(?:name:\s*+)?{_Q}{_W}|\bDropTable\(\s*+(?:name:\s*+)?{_Q}{_W}"
    rf"|\bSchema::drop(?:IfExists)?\(\s*+{_Q}{_W}|\bdrop(?:_if_exists)?[\s(]\s*+table\(\s*+:{_W}"
    rf"|<dropTable\b[^<>]{{0,200}}?\btableName=\"{_W}|\bdropTable:\s*+tableName:\s*+{_W}|\bdropCollection\(\s*+{_Q}{_W}"
)
_CODE_COLUMNS = re.compile(
    rf"\bop\.drop_column\(\s*+{_Q}{_W}{_Q}\s*+,\s*+{_Q}{_W}"
    rf"|\bRemoveField\(\s*+model_name\s*+=\s*+{_Q}{_W}{_Q}\s*+,\s*+name\s*+=\s*+{_Q}{_W}"
    rf"|\bremove_columns?\s*+\(?\s*+[:\"']{_W}[\"']?\s*+,\s*+[:\"']{_W}|\bremoveColumn\(\s*+{_Q}{_W}{_Q}\s*+,\s*+{_Q}{_W}"
    rf"|\bDropColumn\(\s*+name:\s*+{_Q}{_W}{_Q}\s*+,\s*+table:\s*+{_Q}{_W}"
    rf"|<dropColumn\b[^<>]{{0,200}}?\bcolumnName=\"{_W}\"[^<>]{{0,200}}?\btableName=\"{_W}"
)
_REVERSED = ("DropColumn(", "<dropColumn")
"""Calls that name the column before the table."""


class PlannedDrops:
    """Reports what a new or changed migration will drop."""

    name = "data/planned-drops"
    version = 1
    kinds: tuple[str, ...] = ("resource.added", "resource.changed")
    watch = WatchedPaths(suffixes=(".sql",), directories=_DIRECTORIES)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        migrations = (
            change
            for change in changes
            if change.path not in evidence.claimed and _is_migration(change)
        )
        for number, change in enumerate(edited_files(evidence, migrations, _LIMIT)):
            if number >= _MAX_FILES:
                return
            with evidence.guarded(change.path):
                before = _drops(evidence.old, change) if change.old is not None else []
                drops = [drop for drop in _drops(evidence.new, change) if drop not in before]
                if drops:
                    is_told = change.is_added and change.name.endswith(".sql")
                    yield Finding((_fact(change, drops),), (change.path,) if is_told else ())


def _is_migration(change: PathChange) -> bool:
    name = change.name
    if change.new is None or not name.endswith(_SUFFIXES) or _UNDO_NAME.search(name):
        return False
    directories = change.parent.split("/")[-2:]
    is_place = name.endswith(".sql") or not _PLACES.isdisjoint(directories)
    return is_place and directories[-1] != "down"


def _fact(change: PathChange, drops: Sequence[str]) -> Fact:
    word = "added" if change.is_added else "changed"
    left = len(drops) - _MAX_DROPS
    marks = (*drops[:_MAX_DROPS], *([f"and {left:,} more"] if left > 0 else []))
    return Fact(
        f"resource.{word}", f"migration:{change.path}", "migration",
        severity=Severity.NOTE, evidence=(change.path,), marks=marks,
    )  # fmt: skip


def _drops(tree: Tree, change: PathChange) -> list[str]:
    """Return what a migration drops, in words: `drops invoices`."""
    text = _forward((tree.read(change.path) or b"").decode("utf-8", "replace"))
    found: dict[str, None] = {}
    if change.name.endswith(".sql"):
        found |= dict.fromkeys(_sql_drops(_SQL_COMMENT.sub(" ", text)))
    else:
        code = _without_rollbacks(_CODE_COMMENT.sub(" ", text))
        found |= dict.fromkeys([*_code_drops(code), *_sql_tables(code, _made(code))])
    return list(found)


def _forward(text: str) -> str:
    """Return the part of a migration that is run to go forward."""
    undo = _UNDO.search(text)
    if undo is None:
        return text
    do = _DO.search(text, undo.end())
    return text[do.start() :] if do is not None else text[: undo.start()]


def _without_rollbacks(text: str) -> str:
    """Return a change log of Liquibase without what undoes its changes."""
    first, *others = text.split("<rollback")
    return " ".join([first, *(one.partition("</rollback>")[2] for one in others)])


def _sql_drops(text: str) -> Iterator[str]:
    made = _made(text)
    for statement in text.split(";")[:5_000]:
        yield from _sql_tables(statement, made)
        if altered := _SQL_ALTER.search(statement):
            for column in _SQL_COLUMN.finditer(statement, altered.end()):
                yield f"drops column {_shown(altered[1])}.{_shown(column[1])}"
        if emptied := _SQL_TRUNCATE.match(statement) or _SQL_DELETE.match(statement):
            yield f"empties {_shown(emptied[1])}"


def _sql_tables(text: str, made: set[str]) -> Iterator[str]:
    for found in _SQL_DROP.finditer(text):
        kind = " ".join(found[1].lower().split())
        noun = "" if kind == "table" else f"{kind} "
        for name in re.findall(_N, found[2]):
            if _bare(name) not in made:
                yield f"drops {noun}{_shown(name)}"


def _made(text: str) -> set[str]:
    """Return the names of tables that a file makes again."""
    return {_bare(found[1] or found[2]) for found in _MADE.finditer(text)}


def _code_drops(text: str) -> Iterator[str]:
    for found in _CODE_TABLES.finditer(text):
        yield f"drops {_shown(next(filter(None, found.groups())))}"
    for found in _CODE_COLUMNS.finditer(text):
        first, second = [name for name in found.groups() if name][:2]
        is_reversed = found[0].startswith(_REVERSED)
        table, column = (second, first) if is_reversed else (first, second)
        yield f"drops column {_shown(table)}.{_shown(column)}"


def _bare(name: str) -> str:
    """Return the last name of a table, as it is compared."""
    return name.rpartition(".")[2].strip('`"[]').lower()


def _shown(name: str) -> str:
    return ".".join(shown_name(part.strip('`"[]')) for part in name.split("."))
