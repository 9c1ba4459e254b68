"""Detector of half-applied migrations: the schema has what a migration adds, its record does not.

Frameworks record a migration after its last operation: Django by the name of its file in
`django_migrations`, Alembic by its revision in `alembic_version`, Rails and dbmate by its time stamp
in `schema_migrations`, Knex and Sequelize by the name of its file.
If the database cannot take back a schema change, as SQLite in many setups, a migration that fails
leaves a part behind; the next attempt fails because that part is there already.

The names are searched in the bytes of the database and its journal.  A name that was there before
proves nothing, and no database is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, Tree, WatchedPaths
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_MAGIC = b"SQLite format 3\x00"
_DATABASES = (".db", ".sqlite", ".sqlite3", ".db3")
_JOURNALS = ("-wal", "-journal")
_MIGRATIONS = (".py", ".rb", ".js", ".ts", ".sql", ".cjs", ".mjs")
_DIRECTORIES = frozenset(("migrations", "migrate", "versions"))
_FILE_LIMIT = 256 << 10
_DATABASE_LIMIT = 16 << 20
_MAX_MIGRATIONS = 50
_MAX_DATABASES = 5

_TABLES = (b"django_migrations", b"alembic_version", b"schema_migrations", b"knex_migrations",
           b"SequelizeMeta")  # fmt: skip
_NAME = rb"[\"'`:]?(\w{2,80})"
_ADDED = (
    rb"\bAddField\(\s{0,80}(?:model_name\s{0,3}=\s{0,3})?[\"']\w{1,80}[\"'],\s{0,80}(?:name\s{0,3}=\s{0,3})?[\"'](\w{2,80})",
    rb"\bCreateModel\(\s{0,80}(?:name\s{0,3}=\s{0,3})?[\"'](\w{2,80})",
    rb"\badd_column\(?\s{0,80}[\"':]\w{1,80}[\"']?,\s{0,80}(?:sa\.Column\(\s{0,80})?[\"':](\w{2,80})",
    rb"\bcreate_table\(?\s{0,80}[\"':](\w{2,80})",
    rb"\bcreateTable\(\s{0,80}[\"'](\w{2,80})",
    rb"\baddColumn\(\s{0,80}[\"']\w{1,80}[\"'],\s{0,80}[\"'](\w{2,80})",
    rb"\btable\.\w{2,40}\(\s{0,80}[\"'](\w{2,80})",
    rb"\bADD\s{1,9}COLUMN\s{1,9}(?:IF\s{1,9}NOT\s{1,9}EXISTS\s{1,9})?" + _NAME,
    rb"\bCREATE\s{1,9}TABLE\s{1,9}(?:IF\s{1,9}NOT\s{1,9}EXISTS\s{1,9})?" + _NAME,
)
"""How migrations add a column or a table; the group is its name."""
_REVISION = rb"(?m)^revision(?:\s{0,3}:\s{0,3}str)?\s{0,3}=\s{0,3}[\"'](\w{4,64})[\"']"
_STAMP = re.compile(r"(\d{10,20})_")


class _Migration(NamedTuple):
    path: str
    key: bytes
    """What the database records when the migration is complete."""
    adds: tuple[bytes, ...]
    """Columns and tables that it adds."""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2].rpartition(".")[0]


class HalfMigrations:
    """Reports migrations that were applied in part."""

    name = "data/half_migrations"
    version = 1
    kinds: tuple[str, ...] = ("broken.migration",)
    watch = WatchedPaths(everything=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        migrations = list(_migrations(evidence, changes))[:_MAX_MIGRATIONS]
        if not migrations:
            return
        for path in _databases(evidence, changes)[:_MAX_DATABASES]:
            with evidence.guarded(path):
                old, new = _content(evidence.old, path), _content(evidence.new, path)
                if not any(table in new for table in _TABLES):
                    continue
                if any(one.key in new and one.key not in old for one in migrations):
                    continue  # one was recorded in this interval: the others are still to come
                for one in migrations:
                    fact = _fact(path, one, old, new)
                    if fact is not None:
                        yield Finding((fact,))


def _fact(path: str, one: _Migration, old: bytes, new: bytes) -> Fact | None:
    if one.key in new:
        return None
    there = [name for name in one.adds if _has(new, name) and not _has(old, name)]
    if not there:
        return None
    added = ", ".join(name.decode("ascii", "replace") for name in there[:3])
    return Fact(
        "broken.migration", f"sqlite:{path}", one.name, severity=Severity.HIGH,
        evidence=(one.path, path), marks=(f"{added} is there", "not recorded"),
    )  # fmt: skip


def _has(content: bytes, name: bytes) -> bool:
    """Return whether a schema has a name; models are in lower case there."""
    pattern = rb"(?<![A-Za-z0-9])" + re.escape(name) + rb"(?![A-Za-z0-9_])"
    return re.search(pattern, content, re.I) is not None


def _migrations(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[_Migration]:
    for change in changes:
        new = change.new
        if new is None or not new.is_file or not change.name.endswith(_MIGRATIONS):
            continue
        if new.size > _FILE_LIMIT or _DIRECTORIES.isdisjoint(change.path.split("/")[:-1]):
            continue
        with evidence.guarded(change.path):
            content = evidence.new.read(change.path, _FILE_LIMIT) or b""
            found = (name for one in _ADDED for name in re.findall(one, content, re.I))
            adds = tuple(dict.fromkeys(found))
            if adds:
                yield _Migration(change.path, _key(change.name, content), adds)


def _key(name: str, content: bytes) -> bytes:
    revision = re.search(_REVISION, content)
    if revision:
        return revision[1]
    stamp = _STAMP.match(name)
    return (stamp[1] if stamp else name.rpartition(".")[0]).encode("utf-8", "surrogateescape")


def _databases(evidence: Evidence, changes: Sequence[PathChange]) -> list[str]:
    """Return the changed databases that are in both trees."""
    found: dict[str, None] = {}
    for change in changes:
        path = change.path
        for journal in _JOURNALS:
            path = path.removesuffix(journal)
        if path.endswith(_DATABASES):
            entries = [tree.entry(path) for tree in (evidence.old, evidence.new)]
            if all(entry is not None and entry.is_file for entry in entries):
                found[path] = None
    return list(found)


def _content(tree: Tree, path: str) -> bytes:
    """Return the bytes of a database and its journal; empty for another file."""
    try:
        content = tree.read(path, _DATABASE_LIMIT) or b""
        if not content.startswith(_MAGIC):
            return b""
        return content + (tree.read(f"{path}-wal", _DATABASE_LIMIT) or b"")
    except TooLarge:
        return b""
