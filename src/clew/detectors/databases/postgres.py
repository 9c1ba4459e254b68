"""PostgreSQL detector: what happened in a data directory, as far as its files tell.

If the server was shut down in order, its catalogue is on disk: names of databases, tables, columns
and roles, and the rows of each table.
While it runs, a part of that is in memory.  Then only files tell: which ones appeared or vanished,
and their sizes; a name is known if the directory was shut down at the checkpoint before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.data.data_facts import beginning, data_fact, growth_text
from clew.detectors.databases.postgres_catalogue import (
    FIRST_MAJOR,
    LAST_MAJOR,
    Catalogue,
    NoCatalogue,
    Table,
    is_readable,
    join,
    major_version,
    read_control,
)
from clew.detectors.databases.postgres_relations import Names, RelationFile, lost_files
from clew.detectors.databases.postgres_tables import ClusterComparison
from clew.detectors.databases.sqlite_moves import is_moved_file
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.model.amount import counted, size_text
from clew.model.fact import Fact, Severity
from clew.policy.table_losses import is_disposable

_PARTS = ("base", "global", "pg_wal", "pg_xact", "pg_stat", "pg_stat_tmp", "pg_logical",
          "pg_multixact", "pg_subtrans", "pg_notify", "pg_replslot", "pg_tblspc")  # fmt: skip
_NAMES = ("PG_VERSION", "postgresql.conf", "postgresql.auto.conf", "pg_ident.conf",
          "postmaster.pid", "postmaster.opts")  # fmt: skip
_HBA = "pg_hba.conf"
_OWN = frozenset((*_PARTS, *_NAMES, "current_logfiles", "log"))
_HBA_LIMIT = 1 << 20
_NAMED = 3
_NOT_IN_ORDER = "not shut down in order"

_Loss = tuple[str, str]
"""A severity, and a mark that says what was lost."""


class Postgres:
    """Reports changes of a data directory."""

    name = "data/postgres"
    version = 2
    kinds: tuple[str, ...] = (
        "data.changed", "loss.deleted", "security.account",
        "table.added", "table.changed", "table.removed",
    )  # fmt: skip
    watch = WatchedPaths(names=(*_NAMES, _HBA), directories=_PARTS)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        known: dict[str, bool] = {}
        clusters: dict[str, list[PathChange]] = {}
        for change in changes:
            root = _root_of(change.path, evidence, known)
            if root is not None:
                clusters.setdefault(root, []).append(change)
        for root, parts in clusters.items():
            with evidence.guarded(root):
                yield _cluster_finding(evidence, root, parts)
        for change in changes:
            if change.name == _HBA and change.parent not in clusters:
                with evidence.guarded(change.path):
                    yield from _access_findings(evidence, change.parent, change.path)


def trusting_lines(content: bytes | None) -> set[tuple[bytes, ...]]:
    """Return the lines of a pg_hba.conf that allow access without authentication."""
    found = set()
    for line in (content or b"").splitlines():
        words = tuple(line.partition(b"#")[0].split())
        if b"trust" in words[3:6]:
            found.add(words)
    return found


def _root_of(path: str, evidence: Evidence, known: dict[str, bool]) -> str | None:
    """Return the data directory that contains a path."""
    words = path.split("/")
    for at, word in enumerate(words):
        if word in _PARTS or (at == len(words) - 1 and word in (*_NAMES, _HBA)):
            root = "/".join(words[:at])
            if root not in known:
                known[root] = any(_is_cluster(tree, root) for tree in (evidence.old, evidence.new))
            if known[root]:
                return root
    return None


def _is_cluster(tree: Tree, root: str) -> bool:
    """Return whether this is a data directory; each database in it has a PG_VERSION too."""
    return all(tree.entry(join(root, name)) for name in ("PG_VERSION", "global/pg_control"))


def _cluster_finding(evidence: Evidence, root: str, parts: list[PathChange]) -> Finding:
    below = [change for change in evidence.below(root) if _belongs(root, change.path)]
    claims = tuple(change.path for change in below)
    was, now = (_is_cluster(tree, root) for tree in (evidence.old, evidence.new))
    if was and not now:
        return Finding((_deleted(evidence, root, -_growth(below)),), claims)
    access = [fact for finding in _access_findings(evidence, root, join(root, _HBA))
              for fact in finding.facts]  # fmt: skip
    if not was:
        return Finding((_new_cluster(evidence, root, _growth(below)), *access), claims)
    facts = [*_content_facts(evidence, root, parts, below), *access]
    if not facts:
        return Finding((), claims, f"PostgreSQL in {root or '.'}: its own bookkeeping")
    return Finding(tuple(facts), claims)


def _deleted(evidence: Evidence, root: str, size: int) -> Fact:
    is_moved = is_moved_file(evidence, join(root, "global/pg_control"))
    severity = Severity.NONE if is_disposable(root) or is_moved else Severity.HIGH
    what = f"{_version(evidence.old, root)}, {size_text(size)}"
    return Fact("loss.deleted", "postgres", root or ".", what, severity=severity,
                evidence=(join(root, "PG_VERSION"),), marks=("moved",) if is_moved else ())  # fmt: skip


def _new_cluster(evidence: Evidence, root: str, size: int) -> Fact:
    words = [_version(evidence.new, root)]
    number = len(_database_directories(evidence.new, root))
    words += [counted(number, "database")] if number else []
    return data_fact("postgres", root or ".", None, ", ".join([*words, size_text(size)]))


def _belongs(root: str, path: str) -> bool:
    """Return whether the server wrote a path: other files may be in the same directory."""
    name = path[len(root) :].lstrip("/").partition("/")[0]
    return not name or name in _OWN or name.startswith(("pg_", "postmaster."))


def _growth(changes: list[PathChange]) -> int:
    return sum((change.new.size if change.new else 0) - (change.old.size if change.old else 0)
               for change in changes if not change.is_directory)  # fmt: skip


def _content_facts(
    evidence: Evidence, root: str, parts: list[PathChange], below: list[PathChange]
) -> Iterator[Fact]:
    """Yield what changed inside, from the catalogue if both versions have one."""
    marks = [*_version_marks(evidence, root)]
    compared = _compared(evidence, root)
    if compared is not None:
        found, lost, more = compared
        marks += more
    else:
        found, lost = [], list(_lost_without_catalogue(evidence, root, below))
        new = len(
            _database_directories(evidence.new, root) - _database_directories(evidence.old, root)
        )
        marks += [f"+{counted(new, 'database')}"] if new else []
    is_inside = any(_is_inside(root, change) for change in parts)
    if is_inside and not found and not lost:
        marks.append(_growth_mark(below))
    marks += _state_marks(evidence, root)
    if lost:
        worst = Severity.HIGH if any(severity == Severity.HIGH for severity, _ in lost) else Severity.NONE  # fmt: skip
        told = tuple(mark for _, mark in lost)
        yield data_fact("postgres", root or ".", marks=(*told, *marks), severity=worst)
    elif marks:
        yield data_fact("postgres", root or ".", marks=tuple(marks))
    shown = (join(root, "base"),)
    yield from (fact if fact.evidence else fact._replace(evidence=shown) for fact in found)


def _compared(evidence: Evidence, root: str) -> tuple[list[Fact], list[_Loss], list[str]] | None:
    """Return facts, lost databases and marks from the catalogues, or None if one cannot be read."""
    if not all(is_readable(tree, root) for tree in (evidence.old, evidence.new)):
        return None
    try:
        comparison = ClusterComparison(evidence, root)
        facts, lost = list(comparison.facts()), list(comparison.lost_databases())
        return facts, lost, list(comparison.marks())
    except NoCatalogue as error:
        evidence.problem(root or ".", str(error))
        return None


def _is_inside(root: str, change: PathChange) -> bool:
    return change.path.startswith(join(root, "base") + "/") and change.is_content


def _growth_mark(below: list[PathChange]) -> str:
    size = _growth(below)
    return growth_text(size) if size else "changed inside"


def _version_marks(evidence: Evidence, root: str) -> Iterator[str]:
    before, after = (_version(tree, root) for tree in (evidence.old, evidence.new))
    if before != after:
        yield f"{before} → {after}"


def _state_marks(evidence: Evidence, root: str) -> Iterator[str]:
    old, new = (_state(tree, root) for tree in (evidence.old, evidence.new))
    if old != new and old and new:
        yield new if new == _NOT_IN_ORDER else f"{old} → {new}"
    for name in ("postgresql.conf", "postgresql.auto.conf", "pg_ident.conf", _HBA):
        if join(root, name) in evidence.changes:
            yield f"{name} changed"


def _state(tree: Tree, root: str) -> str | None:
    """Return whether the server ran, according to its control file."""
    control = read_control(tree, root)
    if control is None:
        return None
    if control.is_shut_down:
        return "shut down"
    is_running = control.is_running and tree.entry(join(root, "postmaster.pid")) is not None
    return "running" if is_running else _NOT_IN_ORDER


def _lost_without_catalogue(
    evidence: Evidence, root: str, below: list[PathChange]
) -> Iterator[_Loss]:
    """Yield the severity of databases and tables whose files vanished, and a mark for each."""
    if not any(map(_is_gone, below)):
        return
    databases, names = _old_names(evidence.old, root)
    severity = Severity.NONE if is_disposable(root) else Severity.HIGH
    why = _why_unknown(evidence, root)
    gone = _database_directories(evidence.old, root) - _database_directories(evidence.new, root)
    for number in sorted(gone):
        size = sum(
            entry.size for entry in evidence.old.entries(join(root, f"base/{number}")).values()
        )
        name = databases.get(int(number), "")
        is_quiet = bool(name) and is_disposable(name)
        what = f"database {name} gone" if name else "1 database gone"
        mark = f"{what} (−{size_text(size)})" + ("" if name else f", its name is unknown {why}")
        yield (Severity.NONE if is_quiet else severity), mark
    lost = lost_files(evidence, root, below, names)
    yield from ((severity, mark) for mark in _file_marks(lost, names, databases, why))


def _is_gone(change: PathChange) -> bool:
    was = change.old
    is_content = was is not None and was.is_file and was.size > 0
    return is_content and (change.new is None or not change.new.size)


def _old_names(tree: Tree, root: str) -> tuple[dict[int, str], Names]:
    """Return the names of databases and tables, as far as they were on disk."""
    if not is_readable(tree, root):
        return {}, {}
    found: dict[tuple[int, int], Table] = {}
    try:
        catalogue = Catalogue(tree, root)
        databases = catalogue.databases()
        for number in databases:
            if tree.entry(join(root, f"base/{number}/pg_filenode.map")) is not None:
                tables = catalogue.tables(number).values()
                found.update(((number, table.file), table) for table in tables if table.file)
    except NoCatalogue:
        return {}, {}
    return databases, found


def _file_marks(
    lost: list[RelationFile], names: Names, databases: dict[int, str], why: str
) -> Iterator[str]:
    known = [file for file in lost if (file.database, file.number) in names]
    for file in known[:_NAMED]:
        table = names[file.database, file.number]
        name = f"{databases[file.database]}.{table.name}"[:120]
        yield f"file of table {name} gone or empty (−{size_text(file.size)})"
    rest = [*known[_NAMED:], *(file for file in lost if file not in known)]
    if rest:
        files = counted(len(rest), "table file")
        size = size_text(sum(file.size for file in rest))
        yield f"{files} gone or emptied (−{size}), names unknown {why}"


def _why_unknown(evidence: Evidence, root: str) -> str:
    """Return why names are unknown."""
    both = evidence.old, evidence.new
    if not all(FIRST_MAJOR <= major_version(tree, root) <= LAST_MAJOR for tree in both):
        return "in this version"
    is_running = any(_state(tree, root) == "running" for tree in both)
    return "while the server runs" if is_running else "without a clean shutdown"


def _access_findings(evidence: Evidence, root: str, path: str) -> Iterator[Finding]:
    """Report new lines that allow access without a password."""
    if path not in evidence.changes:
        return
    before = evidence.old.read(path, _HBA_LIMIT)
    added = trusting_lines(evidence.new.read(path, _HBA_LIMIT)) - trusting_lines(before)
    if added:
        # a new directory has them by default, and no access was widened
        severity = Severity.NOTE if before is None else Severity.HIGH
        fact = data_fact(
            "postgres", root or ".", marks=("trust in pg_hba.conf",), severity=severity
        )
        yield Finding((fact._replace(evidence=(path,)),), (path,))


def _database_directories(tree: Tree, root: str) -> set[str]:
    return {
        name
        for name, entry in tree.entries(join(root, "base")).items()
        if entry.is_directory and name.isdigit()
    }


def _version(tree: Tree, root: str) -> str:
    number = major_version(tree, root)
    text = str(number) if number else beginning(tree, join(root, "PG_VERSION"), 20).decode("ascii", "replace").strip()  # fmt: skip
    return f"PostgreSQL {text}" if text.replace(".", "").isdigit() else "PostgreSQL"
