"""PostgreSQL detector: one line for a data directory, however many of its files changed.

Its files give the version, the number of databases, the growth, and whether the server ran when
they were captured.
Names of databases and tables are in the system catalogue, which only the server can read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from clew.detectors.data.data_facts import beginning, data_fact, growth_text
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.model.amount import counted, size_text
from clew.model.fact import Fact, Severity

_PARTS = ("base", "global", "pg_wal", "pg_xact", "pg_stat", "pg_stat_tmp", "pg_logical",
          "pg_multixact", "pg_subtrans", "pg_notify", "pg_replslot", "pg_tblspc")  # fmt: skip
_NAMES = ("PG_VERSION", "postgresql.conf", "postgresql.auto.conf", "pg_ident.conf",
          "postmaster.pid", "postmaster.opts")  # fmt: skip
_HBA = "pg_hba.conf"
_STATES = {1: "shut down", 2: "shut down", 6: "running"}
_OWN = frozenset((*_PARTS, *_NAMES, "current_logfiles", "log"))
_HBA_LIMIT = 1 << 20


class Postgres:
    """Reports changes of a data directory, as far as its files show them."""

    name = "data/postgres"
    version = 2
    kinds: tuple[str, ...] = ("data.changed", "loss.deleted")
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
    return all(tree.entry(_join(root, name)) for name in ("PG_VERSION", "global/pg_control"))


def _cluster_finding(evidence: Evidence, root: str, parts: list[PathChange]) -> Finding:
    below = [change for change in evidence.below(root) if _belongs(root, change.path)]
    claims = tuple(change.path for change in below)
    was, now = (_is_cluster(tree, root) for tree in (evidence.old, evidence.new))
    if was and not now:
        version = _version(evidence.old, root)
        return Finding(
            (Fact("loss.deleted", "postgres", root or ".", severity=Severity.HIGH,
                  evidence=(_join(root, "PG_VERSION"),), marks=(version,)),),
            claims,
        )  # fmt: skip
    size = sum((change.new.size if change.new else 0) - (change.old.size if change.old else 0)
               for change in below if not change.is_directory)  # fmt: skip
    access = [fact for finding in _access_findings(evidence, root, _join(root, _HBA))
              for fact in finding.facts]  # fmt: skip
    if not was:
        words = [
            _version(evidence.new, root),
            *_databases_text(evidence.new, root),
            size_text(size),
        ]
        fact = data_fact("postgres", root or ".", None, ", ".join(words))
        return Finding((fact, *access), claims)
    marks = tuple(_marks(evidence, root, parts, size))
    if not marks and not access:
        return Finding((), claims, f"PostgreSQL in {root or '.'}: its own bookkeeping")
    changed = (data_fact("postgres", root or ".", marks=marks),) if marks else ()
    return Finding((*changed, *access), claims)


def _belongs(root: str, path: str) -> bool:
    """Return whether the server wrote a path: other files may be in the same directory."""
    name = path[len(root) :].lstrip("/").partition("/")[0]
    return not name or name in _OWN or name.startswith(("pg_", "postmaster."))


def _marks(evidence: Evidence, root: str, parts: list[PathChange], size: int) -> Iterator[str]:
    old, new = _databases(evidence.old, root), _databases(evidence.new, root)
    before, after = _version(evidence.old, root), _version(evidence.new, root)
    if before != after:
        yield f"{before} → {after}"
    if new - old:
        yield f"+{counted(len(new - old), 'database')}"
    if old - new:
        yield f"−{counted(len(old - new), 'database')}"
    base = _join(root, "base") + "/"
    if any(change.path.startswith(base) and change.is_content for change in parts):
        yield growth_text(size) if size else "changed inside"
    states = [_state(tree, root) for tree in (evidence.old, evidence.new)]
    if states[0] != states[1] and None not in states:
        yield f"{states[0]} → {states[1]}"
    for name in ("postgresql.conf", "postgresql.auto.conf", "pg_ident.conf", _HBA):
        if _join(root, name) in evidence.changes:
            yield f"{name} changed"


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


def _databases(tree: Tree, root: str) -> set[str]:
    return {
        name
        for name, entry in tree.entries(_join(root, "base")).items()
        if entry.is_directory and name.isdigit()
    }


def _databases_text(tree: Tree, root: str) -> list[str]:
    number = len(_databases(tree, root))
    return [counted(number, "database")] if number else []


def _version(tree: Tree, root: str) -> str:
    text = beginning(tree, _join(root, "PG_VERSION"), 20).decode("ascii", "replace").strip()
    known = text.replace(".", "").isdigit()
    return f"PostgreSQL {text}" if known else "PostgreSQL"


def _state(tree: Tree, root: str) -> str | None:
    """Return whether the server ran, according to its control file."""
    header = beginning(tree, _join(root, "global/pg_control"), 20)
    if len(header) < 20:
        return None
    version, _, state = struct.unpack_from("<III", header, 8)
    return _STATES.get(state) if 900 <= version < 10_000 else None


def _join(root: str, name: str) -> str:
    return f"{root}/{name}" if root else name
