"""SQLite detector: tables added, dropped, or with other rows, columns or indexes.

A database is recognised by the first bytes of its file, not by its name, and includes its
journals: a change of `app.db-wal` alone is a change of `app.db`.
`VACUUM`, `ANALYZE` and a checkpoint rewrite a database without changing its content; then no fact
is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, nullcontext
from struct import unpack_from
from typing import TYPE_CHECKING

from clew.detectors.data.app_state import is_app_state
from clew.detectors.data.data_facts import beginning, data_fact
from clew.detectors.databases.sqlite_copies import as_older_copy, is_older_copy
from clew.detectors.databases.sqlite_limits import Budget, OutOfTime, SqliteLimits
from clew.detectors.databases.sqlite_moves import crowd_findings, moved_or_copied
from clew.detectors.databases.sqlite_schema import DAMAGED
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.generated import GeneratedPaths
from clew.detectors.repositories.git_contents import is_in_git
from clew.model.amount import size_text
from clew.model.entry import Entry
from clew.model.fact import Fact, Severity
from clew.policy.generated_names import IGNORED
from clew.policy.table_losses import is_disposable

if TYPE_CHECKING:
    from clew.detectors.databases.sqlite_rows import Version

MAGIC = b"SQLite format 3\x00"

_ENDINGS = (".db", ".sqlite", ".sqlite3", ".db3")
_COMPANIONS = ("-wal", "-journal", "-shm")
_NAMED = 1_000
"""How many files with a database name are inspected."""
_LONG_LOG = 32 << 20
_MANY = 3
"""A database that lost all of so many tables was emptied; fewer are told as dropped."""
_UNNAMED = 200
"""How many other files whose size fits a database are inspected."""


class Sqlite:
    """Reports changed tables of each database."""

    name = "data/sqlite"
    version = 3
    kinds: tuple[str, ...] = ("table.added", "table.changed", "table.removed", "data.changed")
    watch = WatchedPaths(everything=True, own=True)

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
                state += members if not _is_made_again(evidence, path) else []
                continue
            with evidence.guarded(path):
                moved = moved_or_copied(evidence, path, members)
                if moved is not None:
                    yield from moved
                else:
                    yield from _findings(evidence, path, members, budget)
        if state:
            yield Finding((), tuple(state), "app state changed")


def _is_made_again(evidence: Evidence, path: str) -> bool:
    """Return whether a database is build output or a cache, which is told with the others."""
    group = evidence.once(GeneratedPaths).group_of(path)
    return group is not None and group.kind != IGNORED


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
    return beginning(tree, path, len(MAGIC)) == MAGIC


def _findings(
    evidence: Evidence, path: str, members: list[str], budget: Budget
) -> Iterator[Finding]:
    if budget.is_spent:
        evidence.problem(path, "too many databases changed")
        return
    import apsw  # noqa: PLC0415 - imported only if a database changed

    from clew.detectors.databases.sqlite_reading import Unreadable  # noqa: PLC0415 - the same

    budget.restart()
    reading = _Reading(evidence, path)
    try:
        facts, text = reading.compare(budget)
    except OutOfTime:
        log = evidence.new.entry(f"{path}-wal")
        is_long = log is not None and log.size > _LONG_LOG
        why = f", with a log of {size_text(log.size)}" if log is not None and is_long else ""
        evidence.problem(path, f"takes too long to look into{why}")
    except apsw.NotADBError:
        evidence.problem(path, "is no SQLite database, or an encrypted one")
    except apsw.Error:
        if not reading.was_read or evidence.new.entry(path) is None:
            evidence.problem(path, "is corrupt")
        else:
            yield Finding((_damage(evidence, path),), tuple(members))
    except Unreadable as error:
        evidence.problem(path, str(error))
    else:
        shown = tuple(members[:5])
        located = tuple(fact._replace(evidence=shown) for fact in facts)
        yield Finding(located, tuple(members), "" if located else f"{path} {text}")


def _damage(evidence: Evidence, path: str) -> Fact:
    """Return the fact that a database can no longer be read.

    That is a note only, because it may have been captured during a write, unless its end is missing.
    """
    old, new = evidence.old.entry(path), evidence.new.entry(path)
    if old is not None and new is not None and _is_cut_short(evidence.new, path):
        marks = (f"cut short, {size_text(new.size)} of {size_text(old.size)} left",)
        severity = Severity.NONE if is_disposable(path) else Severity.HIGH
        return data_fact("sqlite", path, marks=marks, severity=severity)
    return data_fact("sqlite", path, marks=(DAMAGED,), severity=Severity.NOTE)


class _Reading:
    """Both versions of one database."""

    def __init__(self, evidence: Evidence, path: str) -> None:
        self._evidence = evidence
        self._path = path
        self.was_read = False
        """Whether the old version could be read."""

    def compare(self, budget: Budget) -> tuple[list[Fact], str]:
        """Return what changed, or a text if there is no fact."""
        from clew.detectors.databases.sqlite_reading import open_database  # noqa: PLC0415 - loads apsw
        from clew.detectors.databases.sqlite_rows import RowComparison, Version  # noqa: PLC0415
        from clew.detectors.databases.sqlite_tables import TableComparison  # noqa: PLC0415

        with ExitStack() as stack:

            def version(tree: Tree) -> Version:
                is_readable = _is_readable(tree, self._path)
                opened = open_database(tree, self._path, budget) if is_readable else nullcontext()
                return Version(stack.enter_context(opened))

            old = version(self._evidence.old)
            self.was_read = old.file is not None
            new = version(self._evidence.new)
            budget.restart()
            rows = RowComparison(old, new, budget)
            rows.count()
            tables = TableComparison(f"sqlite:{self._path}", old, new, rows)
            facts = tables.facts() or tables.facts(is_thorough=True)
            whole = self._whole_change(old, new)
            if facts:
                return self._judged(facts, whole), ""
            return [], _text_without_facts(old, new, is_certain=tables.is_certain)

    def _whole_change(self, old: Version, new: Version) -> str:
        """Return what happened to the database as a whole, or ""."""
        if old.file is None:
            return "new database" if new.file is not None else ""
        entry = self._evidence.new.entry(self._path)
        if new.file is None:
            return "database removed" if entry is None else "no database any more"
        is_empty = entry is not None and not entry.size
        if old.schema.tables and (is_empty or not new.schema.tables):
            return "database emptied" if is_empty or len(old.schema.tables) >= _MANY else ""
        return ""

    def _judged(self, facts: list[Fact], whole: str) -> list[Fact]:
        """Return the facts with what happened to the whole file, and without needless warnings."""
        if not whole and is_older_copy(self._evidence, self._path):
            facts = as_older_copy(self._evidence, self._path, facts)
        is_loss = any(fact.severity == Severity.HIGH for fact in facts)
        if whole:
            marks: tuple[str, ...] = (whole,)
            if is_loss and is_in_git(self._evidence, self._path):
                marks, is_loss = (whole, "git has it"), False
            is_loss = is_loss and whole != "new database"
            facts = [
                fact._replace(marks=marks, severity=Severity.HIGH if is_loss else Severity.NONE)
                for fact in facts
                if not fact.marks  # without views
            ]
        if is_loss and is_disposable(self._path):
            return [fact._replace(severity=Severity.NONE) for fact in facts]
        return facts


def _is_cut_short(tree: Tree, path: str) -> bool:
    """Return whether a file has fewer pages than its header says, and no journal has them."""
    header = beginning(tree, path, 100)
    entry = tree.entry(path)
    if entry is None or len(header) < 100 or any(tree.entry(path + end) for end in _COMPANIONS[:2]):
        return False
    (size,) = unpack_from(">H", header, 16)
    changes, pages = unpack_from(">II", header, 24)
    (valid_for,) = unpack_from(">I", header, 92)
    return bool(changes == valid_for and entry.size < pages * (65536 if size == 1 else size))


def _is_readable(tree: Tree, path: str) -> bool:
    """Return whether a file exists and can be a database: an empty file can."""
    entry = tree.entry(path)
    return entry is not None and (not entry.size or _has_magic(tree, path, entry))


def _text_without_facts(old: Version, new: Version, *, is_certain: bool) -> str:
    if old.file is None:
        return "is a new database without tables"
    if new.file is None:
        return "removed, a database without tables"
    return "rewritten, same rows" if is_certain else "changed inside"
