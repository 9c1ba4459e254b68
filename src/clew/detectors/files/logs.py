"""Log detector: which logs grew, and by how many lines; their content is not shown.

A log that only grew begins with its old content.
Rotated copies (`app.log.1`, `app.log.2.gz`, `app.log-20240102`) belong to the log itself.
The history of a shell or another prompt is private: one line without a fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.model.entry import Entry
from clew.model.fact import Fact

_FILE_LIMIT = 64 << 20
"""How many bytes of a log are compared with its old content."""
_TOTAL_LIMIT = 128 << 20

HISTORIES = frozenset((
    ".bash_history", ".zsh_history", ".zhistory", ".sh_history", ".ash_history", ".history",
    ".python_history", ".node_repl_history", ".psql_history", ".mysql_history", ".sqlite_history",
    ".rediscli_history", ".irb_history", ".pry_history", ".php_history", ".julia_history",
    "fish_history", ".dbshell", ".mongorc_history",
))  # fmt: skip

_NAMES = frozenset(("nohup.out", "syslog", "messages", ".xsession-errors"))
_SUFFIXES = frozenset((".log", ".out"))
_IN_LOG_DIRECTORY = frozenset(("", ".log", ".out", ".err", ".txt", ".jsonl", ".ndjson"))
_LOG_DIRECTORIES = frozenset(("logs", "log", ".logs", "_logs"))
_ACCOUNTING = frozenset(("wtmp", "btmp", "lastlog", "faillog", "wtmp.db", "lastlog2.db"))
"""Binary login records, which `housekeeping.py` handles."""

_ROTATED = re.compile(
    r"(?:(?<=\.log)|(?<=\.out)|(?<=[a-z]))(?:\.old|[.-][0-9]{1,14}|-[0-9]{4}-[0-9]{2}-[0-9]{2})$"
)
_MAY_BE_LOG = re.compile(r"\.log|\.out|syslog|messages|\.xsession-errors", re.I)
_PACKED = (".gz", ".xz", ".bz2", ".zst")


class Logs:
    """Reports logs that grew."""

    name = "files/logs"
    version = 3
    kinds: tuple[str, ...] = ("log.grew",)
    watch = WatchedPaths(everything=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        histories = [change for change in changes if change.name in HISTORIES]
        grown = [change.path for change in histories if _size_of(change.new) > _size_of(change.old)]
        if grown:
            yield Finding((), grown, "shell history grew")
        if len(grown) < len(histories):
            rest = [change.path for change in histories if change.path not in grown]
            yield Finding((), rest, "shell history shortened or deleted")
        families: dict[str, list[PathChange]] = {}
        for change in changes:
            if change.name not in HISTORIES and is_log(change.path):
                families.setdefault(base_of(change.path), []).append(change)
        comparison = _LogComparison(evidence)
        for base, members in sorted(families.items()):
            with evidence.guarded(base):
                yield _finding(comparison, base, members)


def is_log(path: str) -> bool:
    """Return whether a path is a log or a rotated copy of one."""
    parent, _, name = path.rpartition("/")
    if parent == "var/log" or parent.startswith("var/log/"):
        return name not in _ACCOUNTING and _without_rotation(name) not in _ACCOUNTING
    in_directory = is_log_directory(parent)
    if not in_directory and not _MAY_BE_LOG.search(name):
        return False  # most names, found out fast
    name = _without_rotation(name)
    suffix = name[name.rfind(".") :].lower() if "." in name else ""
    return suffix in _SUFFIXES or name in _NAMES or (in_directory and suffix in _IN_LOG_DIRECTORY)


@lru_cache(maxsize=8192)
def is_log_directory(directory: str) -> bool:
    """Return whether a directory is one of logs, or below one."""
    return not _LOG_DIRECTORIES.isdisjoint(directory.split("/"))


def base_of(path: str) -> str:
    """Return the log that a rotated copy belongs to; any other path unchanged."""
    parent, slash, name = path.rpartition("/")
    return parent + slash + _without_rotation(name)


def _without_rotation(name: str) -> str:
    for ending in _PACKED:
        name = name.removesuffix(ending)
    return _ROTATED.sub("", name)


def _finding(comparison: _LogComparison, base: str, members: list[PathChange]) -> Finding:
    paths = tuple(change.path for change in members)
    own = next((change for change in members if change.path == base), None)
    copies = [change for change in members if change.path != base]
    is_rotated = any(change.new is not None and change.is_content for change in copies)
    if own is not None:
        mark = "rotated" if is_rotated else comparison.describe(own)
        before, after = _size(own.old), _size(own.new)
    else:
        number = f"{len(copies):,} old copies" if len(copies) > 1 else "old copy"
        mark = "rotated" if is_rotated else f"{number} removed"
        before = after = None
    fact = Fact("log.grew", "log", base, before, after, evidence=paths[:3], marks=(mark,))
    return Finding((fact,), paths)


def _size_of(entry: Entry | None) -> int:
    return entry.size if entry is not None else 0


def _size(entry: Entry | None) -> str | None:
    return str(entry.size) if entry is not None and entry.is_file else None


class _LogComparison:
    """Compares logs with their old content, within a budget."""

    def __init__(self, evidence: Evidence) -> None:
        self._old = evidence.old
        self._new = evidence.new
        self._left = _TOTAL_LIMIT

    def describe(self, change: PathChange) -> str:
        """Return what happened to one log."""
        old, new = change.old, change.new
        if new is None:
            return "removed"
        if not change.is_content:
            return "other rights"
        if not new.is_file:
            return "replaced"
        if old is not None and old.is_file and new.size < old.size:
            return "emptied" if not new.size else "cut short"
        before = old.size if old is not None and old.is_file else 0
        if not self._affords(new.size):
            return f"{new.size - before:,} more bytes"
        lines = _lines_after(self._old, self._new, change.path, before)
        if lines is None:
            return "rewritten"
        what = _count(lines, "line") if lines else _count(new.size - before, "byte")
        return f"new, {what}" if old is None else _more(what)

    def _affords(self, size: int) -> bool:
        if size > min(_FILE_LIMIT, self._left):
            return False
        self._left -= size
        return True


def _lines_after(old: Tree, new: Tree, path: str, size: int) -> int | None:
    """Return the number of lines after the first `size` bytes; None if those bytes changed."""
    before = old.pieces(path) if size else iter(())
    wanted, at, lines = b"", 0, 0
    is_text = True
    for piece in new.pieces(path):
        is_text = is_text and b"\0" not in piece[:1024]
        place = 0
        while at < size and place < len(piece):
            if not wanted:
                wanted = next(before, b"")
                if not wanted:
                    return None
            length = min(len(wanted), len(piece) - place)
            if wanted[:length] != piece[place : place + length]:
                return None
            wanted = wanted[length:]
            at, place = at + length, place + length
        lines += piece.count(b"\n", place)
    return lines if is_text else 0


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _more(what: str) -> str:
    number, _, noun = what.partition(" ")
    return f"{number} more {noun}"
