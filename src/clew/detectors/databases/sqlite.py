"""SQLite detector: tables added, dropped, or with other rows, columns or indexes.

A database is recognised by the first bytes of its file, not by its name, and includes its
journals: a change of `app.db-wal` alone is a change of `app.db`.
`VACUUM`, `ANALYZE` and a checkpoint rewrite a database without changing its content; then no fact
is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from clew.detectors.data.app_state import is_app_state
from clew.detectors.data.data_facts import data_fact
from clew.detectors.databases.sqlite_limits import Budget, SqliteLimits
from clew.detectors.databases.sqlite_moves import crowd_findings, moved_or_copied
from clew.detectors.databases.sqlite_reading import (
    MAGIC,
    NOTHING,
    Schema,
    SqliteFile,
    Unreadable,
    open_copy,
)
from clew.detectors.databases.sqlite_tables import compare
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.model.entry import Entry
from clew.model.fact import Fact, Severity

_ENDINGS = (".db", ".sqlite", ".sqlite3", ".db3")
_COMPANIONS = ("-wal", "-journal", "-shm")
_NAMED = 1_000
"""How many files with a database name are inspected."""
_UNNAMED = 200
"""How many other files whose size fits a database are inspected."""


class Sqlite:
    """Reports changed tables of each database."""

    name = "data/sqlite"
    version = 1
    kinds: tuple[str, ...] = ("table.added", "table.changed", "table.removed", "data.changed")
    watch = WatchedPaths(everything=True)

    def __init__(self, limits: SqliteLimits = SqliteLimits()) -> None:  # noqa: B008 - a tuple
        self._limits = limits

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        budget = Budget(self._limits)
        state: list[str] = []
        databases = _databases(evidence, changes)
        together: set[str] = set()
        for finding in crowd_findings(evidence, databases):
            together.update(finding.claims)
            yield finding
        for path, members in sorted(databases.items()):
            if not evidence.unclaimed(members) or not together.isdisjoint(members):
                continue
            if is_app_state(path):
                state += members
                continue
            with evidence.guarded(path):
                moved = moved_or_copied(evidence, path, members)
                if moved is not None:
                    yield from moved
                else:
                    yield from _findings(evidence, path, members, budget)
        if state:
            yield Finding((), tuple(state), "app state changed")


def _databases(evidence: Evidence, changes: Sequence[PathChange]) -> dict[str, list[str]]:
    """Return the changed databases, each with the changed paths that belong to it."""
    found: dict[str, list[str]] = {}
    known: dict[str, bool] = {}
    left = {True: _NAMED, False: _UNNAMED}
    for change in changes:
        path = _base(change.path)
        is_named = path != change.path or path.endswith(_ENDINGS)
        if not (is_named or _may_be_database(change)) or not change.is_content:
            continue
        if path not in known:
            known[path] = left[is_named] > 0 and _is_database(evidence, path)
            left[is_named] -= 1
        if known[path]:
            found.setdefault(path, []).append(change.path)
    return found


def _base(path: str) -> str:
    if not path.endswith(_COMPANIONS):
        return path
    return path[: path.rindex("-")]


def _may_be_database(change: PathChange) -> bool:
    for entry in (change.new, change.old):
        if entry is not None and not entry.size % 512 and entry.size and entry.is_file:
            return True
    return False


def _is_database(evidence: Evidence, path: str) -> bool:
    return any(_has_magic(tree, path, tree.entry(path)) for tree in (evidence.new, evidence.old))


def _has_magic(tree: Tree, path: str, entry: Entry | None) -> bool:
    if entry is None or not entry.is_file or entry.size < 512:
        return False
    return next(tree.pieces(path), b"").startswith(MAGIC)


def _findings(
    evidence: Evidence, path: str, members: list[str], budget: Budget
) -> Iterator[Finding]:
    if evidence.scratch is None:
        evidence.problem(path, "there is no place to copy it to")
        return
    if budget.is_spent:
        evidence.problem(path, "too many databases changed")
        return
    import apsw  # noqa: PLC0415 - imported only if a database changed

    was_read = False
    try:
        with ExitStack() as stack:
            old, new = (
                stack.enter_context(open_copy(tree, path, evidence.scratch, budget))
                if _is_readable(tree, path)
                else None
                for tree in (evidence.old, evidence.new)
            )
            both = [database.connection for database in (old, new) if database is not None]
            stack.enter_context(budget.clock(both))
            before = old.schema() if old is not None else NOTHING
            was_read = old is not None
            whole = _whole_change(evidence, path, old, new)
            facts, text = _facts_and_text(path, (old, new), before, whole)
    except apsw.InterruptError:
        evidence.problem(path, "takes too long to look into")
    except apsw.NotADBError:
        evidence.problem(path, "is no SQLite database, or an encrypted one")
    except apsw.Error:
        if not was_read or evidence.new.entry(path) is None:
            evidence.problem(path, "is corrupt")
        else:  # a note only: it may have been captured during a write
            fact = data_fact("sqlite", path, marks=("damaged, could be read before",))
            yield Finding((fact._replace(severity=Severity.NOTE),), tuple(members))
    except Unreadable as error:
        evidence.problem(path, str(error))
    else:
        shown = tuple(members[:5])
        located = tuple(fact._replace(evidence=shown) for fact in facts)
        yield Finding(located, tuple(members), "" if located else f"{path} {text}")


def _is_readable(tree: Tree, path: str) -> bool:
    """Return whether a file exists and can be a database: an empty file can."""
    entry = tree.entry(path)
    return entry is not None and (not entry.size or _has_magic(tree, path, entry))


def _whole_change(
    evidence: Evidence, path: str, old: SqliteFile | None, new: SqliteFile | None
) -> str:
    """Return what happened to the database as a whole, or ""."""
    if old is None and new is not None:
        return "new database"
    entry = evidence.new.entry(path)
    if old is not None and entry is not None and entry.is_file and not entry.size:
        return "database emptied"
    if old is None or new is not None:
        return ""
    return "database removed" if entry is None else "no database any more"


def _facts_and_text(
    path: str, both: tuple[SqliteFile | None, SqliteFile | None], before: Schema, whole: str
) -> tuple[list[Fact], str]:
    old, new = both
    after = new.schema() if new is not None else NOTHING
    digests = (old.digest, new.digest) if old is not None and new is not None else None
    facts, is_certain = compare(f"sqlite:{path}", before, after, digests, whole)
    if facts:
        return facts, ""
    if old is None:
        return [], "is a new database without tables"
    if new is None:
        return [], "removed, a database without tables"
    if before.views != after.views:
        return [], "has other views, same rows"
    return [], "rewritten, same rows" if is_certain else "changed inside"
