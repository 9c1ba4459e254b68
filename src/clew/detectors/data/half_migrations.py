"""Detector of half-applied migrations: the schema has what a migration adds, its record does not.

Frameworks record a migration after its last operation: Django by the name of its file in
`django_migrations`, Alembic by its revision in `alembic_version`, Rails and dbmate by its time stamp
in `schema_migrations`, Knex and Sequelize by the name of its file.
If the database cannot take back a schema change, as SQLite in many setups, a migration that fails
leaves a part behind; the next attempt fails because that part is there already.

The names are searched in the bytes of the database and its journal.  A name that was there before
proves nothing, and no database is opened.  For a migration that did not change in this interval a
table or column must have been found to be new, because its name may be anywhere in the rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.data.migration_files import (
    Migration,
    is_migration,
    migrations_near,
    name_of,
    parents_of,
    read_migration,
)
from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, Tree, WatchedPaths
from clew.detectors.files.source_languages import is_generated_or_vendored
from clew.model.fact import Fact, Severity

_MAGIC = b"SQLite format 3\x00"
_DATABASES = (".db", ".sqlite", ".sqlite3", ".db3")
_JOURNALS = ("-wal", "-journal")
_DATABASE_LIMIT = 16 << 20
_MAX_MIGRATIONS = 50
_MAX_DATABASES = 5

_TABLES = (b"django_migrations", b"alembic_version", b"schema_migrations", b"knex_migrations",
           b"SequelizeMeta")  # fmt: skip


class HalfMigrations:
    """Reports migrations that were applied in part."""

    name = "data/half_migrations"
    version = 3
    kinds: tuple[str, ...] = ("broken.migration",)
    watch = WatchedPaths(everything=True, own=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from _branches(evidence, changes)
        migrations = list(_changed_migrations(evidence, changes))[:_MAX_MIGRATIONS]
        for path in _databases(evidence, changes)[:_MAX_DATABASES]:
            if not migrations and not _added_to_schema(evidence, f"sqlite:{path}"):
                continue
            with evidence.guarded(path):
                old, new = _content(evidence.old, path), _content(evidence.new, path)
                if not any(table in new for table in _TABLES):
                    continue
                facts = {fact.subject: fact for fact in _left_behind(evidence, path, old, new)}
                facts |= {fact.subject: fact for fact in _half_applied(path, migrations, old, new)}
                yield from (Finding((fact,)) for fact in facts.values())


_PLACES = ("migrations", "versions")
_MAX_BRANCHES = 20
_MAX_SIBLINGS = 400


def _branches(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
    """Yield new migrations that follow one which another migration follows already."""
    fresh = [
        one
        for one in changes
        if one.old is None
        and one.name.endswith(".py")
        and one.parent.endswith(_PLACES)
        and is_migration(one.path, one.new)
        and one.path not in evidence.owners
        and not is_generated_or_vendored(one.path)
    ]
    for directory in dict.fromkeys(one.parent for one in fresh[:_MAX_BRANCHES]):
        with evidence.guarded(directory):
            found = _followers(evidence.new, directory)
            mine = {one.path for one in fresh}
            for parent, paths in found.items():
                names = [path.rpartition("/")[2].removesuffix(".py") for path in paths]
                last = next((at for at, path in enumerate(paths) if path in mine), None)
                if len(paths) > 1 and last is not None:
                    other = names[last - 1]
                    fact = Fact(
                        "broken.migration", f"branches:{directory}", names[last],
                        severity=Severity.HIGH, evidence=(paths[last],), marks=(other, parent),
                    )  # fmt: skip
                    yield Finding((fact,))


def _followers(tree: Tree, directory: str) -> dict[str, list[str]]:
    """Return the migrations of a directory by the one they follow, those that are merged left out."""
    found: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    merged: set[str] = set()
    for name, entry in list(tree.entries(directory).items())[:_MAX_SIBLINGS]:
        path = f"{directory}/{name}"
        if name.endswith(".py") and is_migration(path, entry):
            content = tree.read(path) or b""
            names[path] = name_of(path, content)
            parents = parents_of(path, content)
            if len(parents) > 1:
                merged.update(parents)
            for parent in parents:
                found.setdefault(parent, []).append(path)
    return {
        parent: paths
        for parent, paths in found.items()
        if not any(
            names[path] in merged or _is_before(names[path], found, merged) for path in paths
        )
    }


def _is_before(name: str, found: dict[str, list[str]], merged: set[str]) -> bool:
    """Return whether what follows a migration is merged with something else later."""
    return name in found and bool(merged)


def _half_applied(
    path: str, migrations: Sequence[Migration], old: bytes, new: bytes
) -> Iterator[Fact]:
    """Yield migrations that changed, of which a name is new in the database."""
    if any(one.key in new and one.key not in old for one in migrations):
        return  # one was recorded in this interval: the others are still to come
    for one in migrations:
        there = [name for name in one.adds if _has(new, name) and not _has(old, name)]
        if there and one.key not in new:
            yield _fact(path, one, [name.decode("ascii", "replace") for name in there])


def _fact(path: str, one: Migration, there: Sequence[str]) -> Fact:
    added = ", ".join(there[:3])
    return Fact(
        "broken.migration", f"sqlite:{path}", one.name, severity=Severity.HIGH,
        evidence=(one.path, path), marks=(f"{added} is there", "not recorded"),
    )  # fmt: skip


def _has(content: bytes, name: bytes) -> bool:
    """Return whether a schema has a name; models are in lower case there."""
    pattern = rb"(?<![A-Za-z0-9])" + re.escape(name) + rb"(?![A-Za-z0-9_])"
    return re.search(pattern, content, re.I) is not None


def _changed_migrations(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Migration]:
    for change in changes:
        if is_migration(change.path, change.new):
            with evidence.guarded(change.path):
                found = read_migration(evidence.new, change.path)
                if found.adds:
                    yield found


def _left_behind(evidence: Evidence, path: str, old: bytes, new: bytes) -> Iterator[Fact]:
    """Yield migrations that did not change, of which a part is new in the schema."""
    added = _added_to_schema(evidence, f"sqlite:{path}")
    if not added:
        return
    known = list(migrations_near(evidence, path))
    complete = _complete(known, new)
    before = _complete(known, old)
    for one in known:
        if one.key in complete and one.key not in before:
            added -= {name for name in added if _adds(one, name)}
    for one in known:
        names = sorted(name for name in added if _adds(one, name))
        if names and one.key not in complete and complete.issuperset(one.parents or ()):
            yield _fact(path, one, names)


def _complete(known: Sequence[Migration], content: bytes) -> set[bytes]:
    """Return what is recorded, and everything before it: some tools record only the last."""
    parents = {one.key: one.parents or () for one in known}
    found: set[bytes] = set()
    waiting = [key for key in parents if key in content]
    while waiting:
        key = waiting.pop()
        if key not in found:
            found.add(key)
            waiting += parents.get(key, ())
    return found


def _added_to_schema(evidence: Evidence, scope: str) -> set[str]:
    """Return the tables and columns that were found to be new in a database."""
    found: set[str] = set()
    for fact in evidence.facts:
        if fact.scope == scope and fact.kind == "table.added":
            found.add(fact.subject)
        elif fact.scope == scope and fact.kind == "table.changed":
            found.update(mark[8:] for mark in fact.marks if mark.startswith("+column "))
    return found


def _adds(one: Migration, name: str) -> bool:
    """Return whether a migration adds a table or column; tables of Django begin with their app."""
    lower = name.lower()
    names = [added.decode("ascii", "replace").lower() for added in one.adds]
    return any(lower == added or lower.endswith(f"_{added}") for added in names)


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
