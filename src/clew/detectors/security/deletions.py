"""Deletion detector: a whole repository, database or project that cannot be recreated.

Not reported: what was moved, caches, and files that an enclosing repository contains.
Removals by a package manager are reported by its own detector.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.security.security_rules import (
    Alarm,
    alarm_findings,
    directories_above,
    in_repository,
    is_dependency,
)
from clew.model.fact import Severity
from clew.model.ids import ObjectId

_DATA = {
    "PG_VERSION": ("global/pg_control", "a PostgreSQL data directory"),
    "ibdata1": ("", "a MySQL data directory"),
    "WiredTiger": ("", "a MongoDB data directory"),
    "dump.rdb": ("", "Redis data"),
}
"""The file that identifies a data directory, another that must be next to it, and its name."""
_SOURCES = frozenset((
    "py", "js", "ts", "tsx", "jsx", "mjs", "go", "rs", "c", "h", "cc", "cpp", "hpp", "java", "kt",
    "rb", "php", "cs", "swift", "scala", "sh", "sql", "html", "css", "scss", "vue", "svelte",
    "md", "ipynb", "tex", "r", "jl", "lua", "ex", "exs", "hs", "ml", "dart", "zig",
))  # fmt: skip
_MANY_SOURCES = 20
_DISPOSABLE = frozenset((
    "tmp", "temp", ".tmp", "dist", "build", "target", "out", "__pycache__", ".venv", "venv", "env",
    ".tox", ".nox", ".next", ".nuxt", ".git", "vendor", "third_party", "_deps", "coverage",
    ".local", ".config", "snap", "Trash", ".oh-my-zsh", ".nvm", ".pyenv", ".rustup", ".cargo",
    "worktrees", ".npm", "_build", "htmlcov", ".svelte-kit", "site", "public", ".gradle",
))  # fmt: skip
_SYSTEM = ("usr/", "lib/", "etc/", "var/cache/", "var/lib/dpkg/", "var/lib/apt/", "var/lib/docker/",
           "var/lib/containerd/", "proc/", "run/", "boot/")  # fmt: skip


class Deletions:
    """Reports deletions of what cannot be recreated."""

    name = "security/deletions"
    version = 1
    kinds: tuple[str, ...] = ("security.deleted",)
    watch = WatchedPaths(everything=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        deleted = [change for change in changes if change.new is None]
        if not deleted:
            return
        alarms = [*_repositories(evidence, deleted), *_data(evidence, deleted)]
        known = {alarm.path for alarm in alarms}
        alarms += _projects(evidence, deleted, known)
        # its files are explained by other detectors; this only reports the deletion
        yield from alarm_findings(alarm._replace(claims=()) for alarm in alarms)


def _repositories(evidence: Evidence, deleted: list[PathChange]) -> Iterator[Alarm]:
    for change in deleted:
        if change.name != "HEAD" or not f"/{change.path}".endswith("/.git/HEAD"):
            continue
        directory = change.parent.rpartition("/")[0]
        if evidence.new.entry(change.parent) is not None or _is_disposable(directory):
            continue
        if not _is_moved(evidence, change.parent):
            is_whole = evidence.new.entry(directory) is None
            mark = "a git repository" if is_whole else "its git history, the files are still there"
            yield _alarm(directory or ".", mark)


def _is_moved(evidence: Evidence, git: str) -> bool:
    """Return whether a repository with the same history appeared elsewhere."""
    for name in ("logs/HEAD", "index", "packed-refs"):
        entry = evidence.old.entry(f"{git}/{name}")
        if entry is not None and entry.size:
            return entry.content in evidence.once(_added_contents)
    return False


def _added_contents(evidence: Evidence) -> frozenset[ObjectId]:
    return frozenset(
        change.new.content
        for change in evidence.changes.values()
        if change.old is None and change.new is not None and change.new.is_file
    )


def _data(evidence: Evidence, deleted: list[PathChange]) -> Iterator[Alarm]:
    for change in deleted:
        found = _DATA.get(change.name)
        if found is None or change.old is None or not change.old.is_file:
            continue
        companion, what = found
        if evidence.new.entry(change.parent) is not None or _is_disposable(change.parent):
            continue
        if companion and evidence.old.entry(f"{change.parent}/{companion}") is None:
            continue
        if change.old.content not in evidence.once(_added_contents):
            yield _alarm(change.parent, what)


def _projects(evidence: Evidence, deleted: list[PathChange], known: set[str]) -> Iterator[Alarm]:
    counts: Counter[str] = Counter()
    tops: dict[str, str] = {}
    for change in deleted:
        if change.name.rpartition(".")[2].lower() in _SOURCES:
            parent = change.parent
            if parent not in tops:
                tops[parent] = "" if _is_disposable(parent) else _top(evidence, parent)
            if tops[parent] and _is_loss(evidence, change):
                counts[tops[parent]] += 1
    for directory, number in sorted(counts.items()):
        if number > _MANY_SOURCES and directory not in known:
            if not in_repository(evidence.new, directory):
                yield _alarm(directory, f"{number:,} source files")


def _top(evidence: Evidence, directory: str) -> str:
    """Return the outermost deleted directory around a path."""
    found = ""
    for above in (directory, *directories_above(directory)):
        if not above or evidence.new.entry(above) is not None:
            break
        found = above
    return found


def _is_loss(evidence: Evidence, change: PathChange) -> bool:
    if change.path in evidence.claimed or change.path in evidence.owners:
        return False
    return change.old is None or change.old.content not in evidence.once(_added_contents)


def _is_disposable(path: str) -> bool:
    rooted = path + "/"
    names = path.split("/")
    return rooted.startswith(_SYSTEM) or is_dependency(path) or not _DISPOSABLE.isdisjoint(names)


def _alarm(path: str, mark: str) -> Alarm:
    return Alarm("security.deleted", "deletion", path, Severity.HIGH, (mark,))
