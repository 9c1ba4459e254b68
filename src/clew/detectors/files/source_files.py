"""Source file detector: unclaimed files that were edited, added, deleted or moved, by repository.

In a repository, source files are:
* tracked text files, unless the name says data, log, lock file or notebook;
* untracked files with a source name, outside directories that tools fill;
* ignored files, only if such a file was edited: it is work although git ignores it.  Every other
  ignored path is left to the detectors of generated files.
Elsewhere: files with a source name, outside such directories.

`after` is the number of files.  The marks give the lines, the git status of the files, and their
directory (`source_tally.py`).  Definitions that came, went or changed are facts of their own
(`source_symbols.py`).
A file with the same content at another path was moved, also between repositories.
Code that a program wrote, as the name or the first lines of a file say, is told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from clew.detectors.checks.file_switches import FileSwitches
from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.common_directory import common_directory
from clew.detectors.files.line_counts import LineBudget, is_binary
from clew.detectors.files.source_git_status import IGNORED, UNTRACKED, GitStatus
from clew.detectors.files.source_languages import is_generated_or_vendored, is_source
from clew.detectors.files.source_reading import MAX_READ, Reader
from clew.detectors.files.source_renames import Pair, pair_equal, pair_moved
from clew.detectors.files.source_symbols import SymbolBudget, SymbolTally
from clew.detectors.files.source_tally import Tally
from clew.detectors.files.written_by_programs import is_written_by_program
from clew.detectors.repositories.repositories import Repositories, Repository
from clew.model.entry import EntryKind
from clew.model.fact import Fact

_MANY = 20_000
"""From this number of changes, directories added or deleted as a whole are left to the roll-up."""
_EVIDENCE = 6
_FEW = 8
"""Up to this number of files that came or went, their definitions are named."""
_HOMES = ("home", "srv", "opt")
"""Directories of a machine whose subdirectories are more informative scopes."""


class SourceFiles:
    """Reports changed source files and their git status."""

    name = "files/source"
    version = 4
    kinds: tuple[str, ...] = (
        "code.edited", "code.added", "code.deleted", "code.renamed", "code.symbols",
        "generated.changed", "check.weakened",
    )  # fmt: skip
    watch = WatchedPaths(everything=True)

    def __init__(self, *, max_read: int = MAX_READ, many: int = _MANY) -> None:
        self._max_read = max_read
        self._many = many

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        groups = _SourceGroups(evidence, self._max_read)
        if len(changes) > self._many:
            changes = [change for change in changes if not _is_in_whole_directory(evidence, change)]
        for change in changes:
            with evidence.guarded(change.path):
                groups.add(change)
        groups.pair_across()
        for scope, group in sorted(groups.groups.items()):
            with evidence.guarded(scope.partition(":")[2]):
                yield from group.findings()


class _SourceGroups:
    """Assigns changed source files to the group of their repository or directory."""

    def __init__(self, evidence: Evidence, max_read: int) -> None:
        self._evidence = evidence
        self._repositories = evidence.once(Repositories)
        self._git_statuses: dict[Repository, GitStatus] = {}
        self._reader = Reader(evidence, max_read)
        self._lines = LineBudget()
        self._symbols = SymbolBudget()
        self.groups: dict[str, _SourceGroup] = {}

    def add(self, change: PathChange) -> None:
        if not _is_interesting(change) or change.path in self._evidence.owners:
            return
        known = is_source(change.name)
        if known is False or "/.git/" in f"/{change.path}":
            return
        repository = self._repositories.of(change.path)
        if repository is None:
            if known and not is_generated_or_vendored(change.path) and _is_plain(change):
                self._group(self._outside(change.path), None).add(change, "")
            return
        git_status = self._git_statuses.get(repository)
        if git_status is None:
            git_status = self._git_statuses[repository] = GitStatus(self._evidence, repository)
        status = self._status(change, git_status, repository, known)
        if status is not None:
            self._group(repository.scope, git_status).add(change, status)

    def pair_across(self) -> None:
        """Pair files that moved from one repository or directory to another."""
        if len(self.groups) < 2:
            return
        homes = {
            change.path: group for group in self.groups.values() for change in group.unpaired()
        }
        changes = [change for group in self.groups.values() for change in group.unpaired()]
        deleted = [change for change in changes if change.new is None]
        added = [change for change in changes if change.old is None]
        for old, new in pair_equal(deleted, added):
            homes[old.path].drop(old)
            homes[new.path].take(old, new)

    def _status(
        self, change: PathChange, git_status: GitStatus, repository: Repository, known: bool | None
    ) -> str | None:
        """Return the git status of a file, or None if it is not a source file."""
        if git_status.is_tracked(change):
            content = self._reader.content(change)
            if content is None and not known:
                return None  # too large to read, and the name is undecided
            return None if is_binary(content or b"") else git_status.status(change, content)
        path = repository.relative(change.path)
        if not known or is_generated_or_vendored(path) or not _is_plain(change):
            return None
        if not git_status.is_ignored(change):
            return UNTRACKED
        return IGNORED if change.old is not None and change.new is not None else None

    def _outside(self, path: str) -> str:
        names = path.split("/")[:-1]
        depth = 2 if self._evidence.machine and names and names[0] in _HOMES else 1
        return f"dir:{'/'.join(names[:depth]) or '.'}"

    def _group(self, scope: str, git_status: GitStatus | None) -> _SourceGroup:
        if scope not in self.groups:
            self.groups[scope] = _SourceGroup(
                scope, self._evidence, git_status, self._reader, self._lines, self._symbols
            )
        return self.groups[scope]


class _SourceGroup:
    """Changed source files of one repository or directory."""

    def __init__(
        self,
        scope: str,
        evidence: Evidence,
        git_status: GitStatus | None,
        reader: Reader,
        lines: LineBudget,
        symbols: SymbolBudget,
    ) -> None:
        self._scope = scope
        self._evidence = evidence
        self._git_status = git_status
        self._reader = reader
        self._lines = lines
        self._symbols = SymbolTally(symbols)
        self._switches = FileSwitches()
        self._statuses: dict[str, str] = {}
        self._changes: dict[str, PathChange] = {}
        self._from_elsewhere: list[Pair] = []
        self.claims: list[str] = []

    def add(self, change: PathChange, status: str) -> None:
        self._changes[change.path] = change
        self._statuses[change.path] = status

    def unpaired(self) -> list[PathChange]:
        """Return added and deleted files that did not move within the group."""
        added, deleted = self._added_and_deleted()
        taken = {change.path for pair in pair_equal(deleted, added) for change in pair}
        return [change for change in (*deleted, *added) if change.path not in taken]

    def drop(self, change: PathChange) -> None:
        self._changes.pop(change.path, None)

    def take(self, old: PathChange, new: PathChange) -> None:
        """Record that a file of this group came from another one."""
        self.drop(new)
        self._from_elsewhere.append((old, new))

    def _added_and_deleted(self) -> tuple[list[PathChange], list[PathChange]]:
        changes = self._changes.values()
        return (
            [change for change in changes if change.old is None],
            [change for change in changes if change.new is None],
        )

    def findings(self) -> Iterator[Finding]:
        some = islice(self._changes.values(), MAX_READ)  # more are not read
        written = [one for one in some if self._is_written_by_program(one)]
        for change in written:
            self.drop(change)
        if written:
            yield _generated([change.path for change in written])
        facts = tuple(self._facts())
        if facts:
            yield Finding(facts, self.claims)

    def _facts(self) -> Iterator[Fact]:
        edited = [(one, one) for one in self._changes.values() if one.old and one.new]
        added, deleted = self._added_and_deleted()
        moved = pair_moved(deleted, added, self._evidence.old, self._evidence.new)
        taken = {change.path for pair in moved for change in pair}
        yield from self._fact("code.edited", edited)
        yield from self._fact("code.added", [(one, one) for one in added if one.path not in taken])
        yield from self._fact(
            "code.deleted", [(one, one) for one in deleted if one.path not in taken]
        )
        yield from self._fact("code.renamed", [*moved, *self._from_elsewhere])
        yield from self._symbols.facts(self._scope)
        yield from self._switches.facts()

    def _is_written_by_program(self, change: PathChange) -> bool:
        """Return whether a program wrote a file again."""
        if change.old is None or change.new is None or not change.is_content:
            return False
        return is_written_by_program(change.name, self._reader.content(change) or b"")

    def _fact(self, kind: str, pairs: Sequence[Pair]) -> Iterator[Fact]:
        """Yield the fact about files of one kind; a pair is the old path and the new one."""
        tally = Tally()
        is_named = kind in ("code.edited", "code.renamed") or len(pairs) <= _FEW
        for old, new in pairs:
            if is_binary(self._reader.content(new) or b""):
                continue
            tally.add(old, new, self._statuses[new.path])
            if old.old and new.new and old.old.same_content(new.new):
                if old is new:
                    tally.add_metadata(new)
                continue
            before, after = self._versions(old, new)
            only = self._symbols.add(new.path, before, after) if is_named else ""
            self._switches.add(new.path, before, after)
            tally.add_lines(before, after, only)
        if tally.paths:
            self.claims += tally.claims
            yield tally.fact(kind, self._scope)

    def _versions(self, old: PathChange, new: PathChange) -> tuple[bytes | None, bytes | None]:
        """Return both versions of a file; None for one that is too large."""
        if not self._lines.allows(*(entry.size for entry in (old.old, new.new) if entry)):
            return None, None
        return (
            self._reader.side(self._evidence.old, old.path, old.old),
            self._reader.side(self._evidence.new, new.path, new.new),
        )


def _generated(paths: list[str]) -> Finding:
    fact = Fact(
        "generated.changed", "code", common_directory(paths) or ".",
        after=str(len(paths)), evidence=tuple(paths[:_EVIDENCE]),
    )  # fmt: skip
    return Finding((fact,), paths)


def _is_in_whole_directory(evidence: Evidence, change: PathChange) -> bool:
    """Return whether a file was added or deleted with its directory, which needs no file list."""
    above = evidence.changes.get(change.parent)
    return above is not None and (above.is_added or above.is_deleted)


def _is_interesting(change: PathChange) -> bool:
    """Return whether content, permissions or owner of a regular file or link changed."""
    kinds = {entry.kind for entry in (change.old, change.new) if entry is not None}
    if not kinds <= {EntryKind.FILE, EntryKind.SYMLINK}:
        return False
    if change.is_content or change.old is None or change.new is None:
        return True
    old, new = change.old, change.new
    return (old.mode, old.uid, old.gid) != (new.mode, new.uid, new.gid)


def _is_plain(change: PathChange) -> bool:
    return all(entry is None or entry.is_file for entry in (change.old, change.new))
