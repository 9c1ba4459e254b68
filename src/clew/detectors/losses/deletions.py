"""Deletion detector: files that are gone and that nothing can make again.

What is lost is decided in `recoverable.py`.  A loss raises a warning

* for one file of a valuable kind: a secret, a database, a backup, an archive, an image, a
  document, a notebook, a model, a table, mail (`data_kinds.py`);
* for one other file from a certain size;
* for ten files of any kind together;
* for a git repository with commits that no remote has.

A directory that was deleted as a whole is one fact, which names what matters inside it; otherwise
the files of a directory are one, unless they are few and valuable, or secrets.
Fewer and smaller files are left to other detectors, which report them as deleted.
Retention of backups is no loss (`series.py`).
What git has is told without a warning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.data.data_facts import data_fact
from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.generated import common_directory
from clew.detectors.losses.data_kinds import (
    ARCHIVE,
    BACKUP,
    DATABASE,
    MANY,
    MODEL,
    OTHER,
    PROSE,
    RECORDS,
    SECRET,
    SOURCE,
    STATE,
    VALUABLE,
    count_of,
    is_loss_alone,
)
from clew.detectors.losses.lost_repositories import LostRepository, lost_repositories
from clew.detectors.losses.lost_tree import Lost, LostGroup, lost_groups, size_of
from clew.detectors.losses.names import what_is
from clew.detectors.losses.places import Places
from clew.detectors.losses.recoverable import (
    MAX_DELETED,
    DirectoryFate,
    deleted_by_directory,
    fates,
)
from clew.detectors.losses.series import is_retention, series_of
from clew.detectors.losses.servers import engine_of
from clew.detectors.repositories.git_contents import GitContents
from clew.model.amount import counted, size_text
from clew.model.entry import Entry
from clew.model.fact import Fact, Severity

_NAMED = (SECRET, DATABASE, STATE)
"""Kinds of which each file is named."""
_BACKUPS = (BACKUP, ARCHIVE, DATABASE, MODEL)
"""Kinds of which older ones are deleted on purpose."""
_FEW = 3
"""So many files are named one by one."""
_MANY_NAMED = 12
_MAX_FACTS = 60
_EVIDENCE = 5
_MARKS = 5
_KEPT = 5
"""From this number, deleted files that git has are one fact."""
_SQLITE = (".db", ".sqlite", ".sqlite3", ".db3")


class Deletions:
    """Reports lost files, directories and repositories."""

    name = "losses/deletions"
    version = 1
    kinds: tuple[str, ...] = ("loss.deleted", "data.changed")
    watch = WatchedPaths(everything=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        deleted = deleted_by_directory(changes)
        if not deleted:
            return
        repositories = lost_repositories(evidence, deleted)
        for repository in repositories:
            if repository.clone_url:
                evidence.once(GitContents).trust_remote(repository.git_dir)
        found = fates(evidence, deleted)
        report = _Report(evidence, found, repositories)
        findings = [*report.lost(), *report.repositories(), *report.kept_by_git()]
        yield from findings[:_MAX_FACTS]


class _Report:
    """Findings about one set of deleted files."""

    def __init__(
        self,
        evidence: Evidence,
        found: Mapping[str, DirectoryFate],
        repositories: Sequence[LostRepository],
    ) -> None:
        self._evidence = evidence
        self._found = found
        self._repositories = repositories
        self._told: set[str] = set()
        """Directories of repositories that are part of a fact."""

    def lost(self) -> Iterator[Finding]:
        groups = sorted(lost_groups(self._evidence, self._found), key=lambda group: -len(group.lost))
        aged = _old_directories(self._evidence, groups)
        for group in groups:
            if group.directory in aged:
                yield _retention_finding(group.directory.rpartition("/")[0], [group.directory],
                                         group.claims)  # fmt: skip
            elif group.is_whole:
                yield from self._whole(group)
            else:
                yield from self._loose(group)

    def _whole(self, group: LostGroup) -> Iterator[Finding]:
        inside = self._repositories_in(group.directory)
        if not is_loss(group.lost) and not inside:
            return
        self._told.update(one.directory for one in inside)
        own = [one for one in inside if one.directory == group.directory]
        others = [one for one in inside if one.directory != group.directory]
        marks = [f"git repository{_with(own[0].content)}"] if own else []
        engine = engine_of(self._evidence.old, group.directory)
        marks += [f"{engine} data"] if engine else []
        marks += _matters(group)
        if others:
            marks.append(counted(len(others), "git repository", "git repositories"))
        fact = Fact(
            "loss.deleted", "repository" if own else "directory", group.directory,
            _amount(group.total, group.size), severity=Severity.HIGH,
            evidence=tuple(change.path for change, _ in group.lost[:_EVIDENCE]),
            marks=tuple(marks[:_MARKS]),
        )  # fmt: skip
        claims = [change.path for change in group.claims if not change.path.endswith(_SQLITE)]
        git_dirs = [one.git_dir for one in inside]
        yield Finding((fact,), [*claims, *self._below(git_dirs)])

    def _loose(self, group: LostGroup) -> Iterator[Finding]:
        lost, aged = self._without_retained(group)
        for directory, names, claims in aged:
            yield _retention_finding(directory, names, claims)
        lost = [one for one in lost if not _is_sqlite(self._evidence, one[0])]
        named = [one for one in lost if one[1] in _NAMED][:_MANY_NAMED]
        taken = {change.path for change, _ in named}
        rest = [one for one in lost if one[0].path not in taken]
        alone = [one for one in rest if is_loss_alone(one[1], one[0].old.size if one[0].old else 0)]
        if len(alone) <= _FEW and len(rest) < MANY:
            named, rest = [*named, *alone], []
        for change, kind in named:
            yield Finding((_file_fact(change, kind),), (change.path,))
        if is_loss(rest):
            yield self._files(group, rest)

    def _files(self, group: LostGroup, lost: Sequence[Lost]) -> Finding:
        """Return the finding about some of a directory's files."""
        paths = [change.path for change, _ in lost]
        directory = group.directory
        if not directory:
            directory = common_directory(paths)
        left = self._left(directory)
        of = f" of {group.total:,}" if group.total > len(lost) and not left else ""
        before = f"{len(lost):,}{of} files, {size_text(size_of(tuple(lost)))}"
        fact = Fact(
            "loss.deleted", "files", directory or ".", before, f"{left:,}" if left else None,
            severity=Severity.HIGH, evidence=tuple(paths[:_EVIDENCE]), marks=tuple(_kinds(lost)),
        )  # fmt: skip
        return Finding((fact,), paths)

    def _left(self, directory: str) -> int:
        return sum(not entry.is_directory for entry in self._evidence.new.entries(directory).values())

    def _without_retained(
        self, group: LostGroup
    ) -> tuple[list[Lost], list[tuple[str, list[str], Sequence[PathChange]]]]:
        """Return what is lost, and what retention deleted: directory, names and changes."""
        series: dict[tuple[str, str], list[Lost]] = {}
        for one in group.lost:
            series.setdefault((one[0].parent, series_of(one[0].name)), []).append(one)
        lost: list[Lost] = []
        aged = []
        for (parent, mask), members in series.items():
            deleted = {change.name: change.old for change, _ in members if change.old is not None}
            are_backups = all(kind in _BACKUPS for _, kind in members)
            if mask and is_retention(self._evidence, parent, deleted, are_backups=are_backups):
                aged.append((parent, sorted(deleted), [change for change, _ in members]))
            else:
                lost += members
        return lost, aged

    def repositories(self) -> Iterator[Finding]:
        """Yield the repositories that are not part of a lost directory."""
        for one in self._repositories:
            if one.directory in self._told:
                continue
            claims = list(self._below([one.git_dir]))
            severity = Severity.NOTE if one.clone_url else Severity.HIGH
            if one.is_whole:
                files = [fate for path, fate in self._found.items() if _is_below(path, one.directory)]
                before = _amount(sum(f.total for f in files), sum(f.size for f in files))
                marks = [f"git repository{_with(one.content)}"]
                marks += [f"can be cloned again from {one.clone_url}"] if one.clone_url else []
                claims += [change.path for fate in files for change in fate.files]
                scope, subject = "repository", one.directory
            else:
                before, marks = one.content, []
                marks += [f"can be cloned again from {one.clone_url}"] if one.clone_url else []
                scope, subject = "history", one.git_dir
            fact = Fact(
                "loss.deleted", scope, subject, before or None, severity=severity,
                evidence=(f"{one.git_dir}/HEAD",), marks=tuple(marks),
            )  # fmt: skip
            yield Finding((fact,), claims)

    def kept_by_git(self) -> Iterator[Finding]:
        """Yield data files that git has: their deletion is told, without a warning."""
        kept: dict[str, DirectoryFate] = {}
        places = self._evidence.once(Places)
        for path, fate in self._found.items():
            with_kinds = [(change, what_is(places.of(path), change.name)) for change in fate.git]
            kinds = [one for one in with_kinds if one[1] in VALUABLE]
            if kinds:
                kept[path] = DirectoryFate(path, [change for change, _ in kinds])
                kept[path].lost = kinds
        for group in lost_groups(self._evidence, kept) if kept else ():
            if len(group.lost) >= _KEPT:
                yield self._kept_finding(group)

    def _kept_finding(self, group: LostGroup) -> Finding:
        paths = [change.path for change, _ in group.lost]
        keeper = self._evidence.once(GitContents).keeper(group.lost[0][0].parent)
        is_open = keeper is not None and keeper.tracks_still(paths[0])
        directory = group.directory or common_directory(paths) or "."
        fact = data_fact(
            "directory" if group.is_whole else "files", directory,
            _amount(len(paths), size_of(group.lost)), None, ("git has them",),
            Severity.NOTE if is_open else Severity.NONE,
        )  # fmt: skip
        return Finding((fact._replace(evidence=tuple(paths[:_EVIDENCE])),), paths)

    def _repositories_in(self, directory: str) -> list[LostRepository]:
        return [
            one
            for one in self._repositories
            if one.directory == directory or _is_below(one.directory, directory)
        ]

    def _below(self, directories: Sequence[str]) -> Iterator[str]:
        """Yield the changed paths below directories."""
        prefixes = tuple(f"{directory}/" for directory in directories)
        if prefixes:
            yield from (path for path in self._evidence.changes if path.startswith(prefixes))


def is_loss(lost: Sequence[Lost]) -> bool:
    """Return whether files that nothing can make again are worth a warning."""
    return len(lost) >= MANY or any(
        is_loss_alone(kind, change.old.size if change.old else 0) for change, kind in lost
    )


def _is_below(path: str, directory: str) -> bool:
    return not directory or path == directory or path.startswith(f"{directory}/")


def _with(content: str) -> str:
    return f" with {content}" if content else ""


def _amount(number: int, size: int) -> str:
    if number >= MAX_DELETED:
        return f"more than {number:,} files"
    return f"{counted(number, 'file')}, {size_text(size)}"


def _file_fact(change: PathChange, kind: str) -> Fact:
    size = size_text(change.old.size) if change.old is not None else None
    return Fact(
        "loss.deleted", "file", change.path, size, severity=Severity.HIGH,
        evidence=(change.path,), marks=() if kind == OTHER else (kind,),
    )  # fmt: skip


def _matters(group: LostGroup) -> list[str]:
    """Return what matters inside a directory: secrets and databases by name, others by number."""
    start = len(group.directory) + 1 if group.directory else 0
    named = [change.path[start:] for change, kind in group.lost if kind in _NAMED]
    marks = sorted(named, key=lambda path: (path.count("/"), path))[:_FEW]
    if len(named) > _FEW:
        marks.append(f"{len(named) - _FEW} more secrets and databases")
    by_kind: dict[str, list[str]] = {}
    for change, kind in group.lost:
        if kind in VALUABLE and kind not in _NAMED:
            by_kind.setdefault(kind, []).append(change.path[start:])
    for kind, paths in sorted(by_kind.items(), key=lambda one: -len(one[1])):
        where = common_directory(paths)
        marks.append(count_of(len(paths), kind) + (f" in {where}" if where else ""))
    return marks


def _kinds(lost: Sequence[Lost]) -> Iterator[str]:
    """Yield the numbers of files by kind, if there is more to say than that they are files."""
    counts = Counter(kind for _, kind in lost)
    plain = {OTHER, RECORDS, PROSE, SOURCE}
    for kind, number in counts.most_common(3):
        if kind not in plain or len(counts) == 1 and kind != OTHER:
            yield count_of(number, kind)


def _is_sqlite(evidence: Evidence, change: PathChange) -> bool:
    """Return whether a file is an SQLite database, which has its own detector."""
    if not change.name.endswith(_SQLITE):
        return False
    return next(evidence.old.pieces(change.path), b"").startswith(b"SQLite format 3\0")


def _old_directories(evidence: Evidence, groups: Sequence[LostGroup]) -> set[str]:
    """Return the deleted directories that are the oldest of a series."""
    series: dict[tuple[str, str], dict[str, Entry]] = {}
    for group in groups:
        parent, _, name = group.directory.rpartition("/")
        change = evidence.changes.get(group.directory)
        if group.is_whole and change is not None and change.old is not None and series_of(name):
            series.setdefault((parent, series_of(name)), {})[name] = change.old
    return {
        f"{parent}/{name}" if parent else name
        for (parent, _), deleted in series.items()
        if is_retention(evidence, parent, deleted, are_backups=False)
        for name in deleted
    }


def _retention_finding(
    directory: str, names: Sequence[str], changes: Sequence[PathChange]
) -> Finding:
    """Return the finding about the oldest of a series, which retention deleted."""
    what = names[0].rpartition("/")[2] if len(names) == 1 else f"{len(names):,} old files"
    mark = f"{what} deleted, newer ones kept"
    fact = data_fact("series", directory or ".", marks=(mark,))
    paths = [change.path for change in changes]
    return Finding((fact._replace(evidence=tuple(paths[:_EVIDENCE])),), paths)
