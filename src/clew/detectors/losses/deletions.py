"""Deletion detector: files that are gone and that nothing can make again.

What is lost is decided in `recoverable.py`.  A loss raises a warning

* for one file of a valuable kind: a secret, a database, a backup, an archive, an image, a
  document, a notebook, a model, a table, mail, an audit log (`data_kinds.py`);
* for one other file from a certain size;
* for ten files of any kind together;
* for a git repository with commits that no remote has.

A directory that was deleted as a whole is one fact, which names what matters inside it; otherwise
the files of a directory are one, unless they are few and valuable, or secrets.
Fewer and smaller files are left to other detectors, which report them as deleted.
Retention of backups is no loss (`series.py`).
What git has is told without a warning, and so is a directory that became a link elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.common_directory import common_directory
from clew.detectors.files.env_files import is_environment_file, keys_of
from clew.detectors.files.key_names import shown_name
from clew.detectors.losses.data_kinds import (
    ARCHIVE,
    BACKUP,
    DATABASE,
    MANY,
    MODEL,
    VALUABLE,
    is_loss_alone,
)
from clew.detectors.losses.deletion_facts import (
    NAMED,
    directory_fact,
    elsewhere_fact,
    file_fact,
    files_fact,
    is_loss,
    kept_fact,
    repository_fact,
    retention_fact,
)
from clew.detectors.losses.lost_repositories import LostRepository, lost_repositories
from clew.detectors.losses.lost_tree import Lost, LostGroup, lost_groups
from clew.detectors.losses.names import what_is
from clew.detectors.losses.places import Places
from clew.detectors.losses.recoverable import (
    MAX_DELETED,
    DirectoryFate,
    deleted_by_directory,
    fates,
)
from clew.detectors.losses.series import is_retention, series_of
from clew.detectors.repositories.git_contents import GitContents

_BACKUPS = (BACKUP, ARCHIVE, DATABASE, MODEL)
"""Kinds of which older ones are deleted on purpose."""
_FEW = 3
"""So many files are named one by one."""
_KEYS_LIMIT = 64 << 10
_KEYS = 20
"""Size of a deleted environment file that is read, and how many of its keys are kept."""
_MAX_NAMED = 12
_MAX_FINDINGS = 60
_KEPT = 5
"""From this number, deleted files that git has are one fact."""
_SQLITE = (".db", ".sqlite", ".sqlite3", ".db3")


class Deletions:
    """Reports lost files, directories and repositories."""

    name = "losses/deletions"
    version = 2
    kinds: tuple[str, ...] = ("loss.deleted", "data.changed")
    watch = WatchedPaths(everything=True, existed=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        deleted = deleted_by_directory(changes)
        if not deleted:
            return
        repositories = lost_repositories(evidence, deleted)
        for repository in repositories:
            if repository.clone_url:
                evidence.once(GitContents).trust_remote(repository.git_dir)
        report = _Report(evidence, fates(evidence, deleted), repositories)
        findings = [*report.lost(), *report.repositories()]
        yield from findings[:_MAX_FINDINGS]
        yield from report.kept_by_git()
        yield from report.elsewhere()


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
        self._is_cut = sum(fate.total for fate in found.values()) >= MAX_DELETED

    def lost(self) -> Iterator[Finding]:
        """Yield what is lost, the largest first."""
        aged = _old_directories(self._evidence, self._found)
        for (parent, _), members in aged.items():
            names = sorted(members)
            paths = [path for name in names for path in members[name]]
            yield Finding((retention_fact(parent, names, paths),), paths)
            for path in {path.rpartition("/")[0] for path in paths}:
                self._found[path].lost = []
        groups = sorted(lost_groups(self._evidence, self._found), key=lambda one: -len(one.lost))
        for group in groups:
            inside = [
                one for one in self._repositories if _is_below(one.directory, group.directory)
            ]
            if group.is_whole and (inside or group.total > _FEW):
                yield from self._whole(group, inside)
            else:
                yield from self._loose(group)

    def _whole(self, group: LostGroup, inside: Sequence[LostRepository]) -> Iterator[Finding]:
        if not is_loss(group.lost) and not inside:
            return
        if self._is_cut:
            group = self._counted(group)
        self._told.update(one.directory for one in inside)
        own = next((one for one in inside if one.directory == group.directory), None)
        fact = directory_fact(group, own, len(inside) - bool(own))
        # an SQLite database has more to tell
        claims = [change.path for change in group.claims if not change.path.endswith(_SQLITE)]
        yield Finding((fact,), [*claims, *self._below([one.git_dir for one in inside])])

    def _counted(self, group: LostGroup) -> LostGroup:
        """Return a group with the number of all its deleted files, and all of them claimed."""
        prefix = f"{group.directory}/"
        below = [
            change
            for path, change in self._evidence.changes.items()
            if path.startswith(prefix) and change.new is None and not change.is_directory
        ]
        size = sum(change.old.size for change in below if change.old is not None)
        return group._replace(total=len(below), size=size, claims=tuple(below))

    def _keys(self, change: PathChange) -> list[str]:
        """Return the names of the settings that a deleted environment file had."""
        size = change.old.size if change.old is not None else 0
        if not is_environment_file(change.name) or size > _KEYS_LIMIT:
            return []
        return [shown_name(name) for name in keys_of(self._evidence.old.read(change.path))][:_KEYS]

    def _loose(self, group: LostGroup) -> Iterator[Finding]:
        lost, aged = self._without_retained(group)
        yield from aged
        lost = [one for one in lost if not _is_sqlite(self._evidence, one[0])]
        named = [one for one in lost if one[1] in NAMED][:_MAX_NAMED]
        taken = {change.path for change, _ in named}
        rest = [one for one in lost if one[0].path not in taken]
        alone = [one for one in rest if is_loss_alone(one[1], one[0].old.size if one[0].old else 0)]
        if len(alone) <= _FEW and len(rest) < MANY:
            named += alone
            taken = {change.path for change, _ in named}
            rest = [one for one in rest if one[0].path not in taken]
        for one in named:
            yield Finding((file_fact(one, self._keys(one[0])),), (one[0].path,))
        if is_loss(rest):
            paths = [change.path for change, _ in rest]
            directory = group.directory or common_directory(paths)
            entries = self._evidence.new.entries(directory)
            left = sum(not entry.is_directory for entry in entries.values())
            yield Finding((files_fact(directory or ".", rest, group.total, left),), paths)

    def _without_retained(self, group: LostGroup) -> tuple[list[Lost], list[Finding]]:
        """Return what is lost, and the findings about what retention deleted."""
        series: dict[tuple[str, str], list[Lost]] = {}
        for one in group.lost:
            series.setdefault((one[0].parent, series_of(one[0].name)), []).append(one)
        lost: list[Lost] = []
        aged: list[Finding] = []
        for (parent, mask), members in series.items():
            deleted = {change.name: change.old for change, _ in members if change.old is not None}
            are_backups = all(kind in _BACKUPS for _, kind in members)
            if mask and is_retention(self._evidence, parent, deleted, are_backups=are_backups):
                paths = [change.path for change, _ in members]
                aged.append(Finding((retention_fact(parent, sorted(deleted), paths),), paths))
            else:
                lost += members
        return lost, aged

    def repositories(self) -> Iterator[Finding]:
        """Yield the repositories that are not part of a lost directory."""
        for one in self._repositories:
            if one.directory not in self._told:
                mine = [
                    fate for path, fate in self._found.items() if _is_below(path, one.directory)
                ]
                claims = list(self._below([one.git_dir]))
                if one.is_whole:
                    claims += [change.path for fate in mine for change in fate.files]
                number, size = sum(fate.total for fate in mine), sum(fate.size for fate in mine)
                yield Finding((repository_fact(one, number, size),), claims)

    def kept_by_git(self) -> Iterator[Finding]:
        """Yield data files that git has: their deletion is told, without a warning."""
        kept: dict[str, DirectoryFate] = {}
        places = self._evidence.once(Places)
        for path, fate in self._found.items():
            if any(_is_below(path, one.directory) for one in self._repositories if one.is_whole):
                continue  # what can be cloned again
            with_kinds = [(change, what_is(places.of(path), change.name)) for change in fate.git]
            valuable = [one for one in with_kinds if one[1] in VALUABLE]
            if valuable:
                kept[path] = DirectoryFate(path, [change for change, _ in valuable])
                kept[path].lost = valuable
        for group in lost_groups(self._evidence, kept) if kept else ():
            paths = [change.path for change, _ in group.lost]
            if len(paths) >= _KEPT:
                keeper = places.of(group.lost[0][0].parent).keeper
                is_open = keeper is not None and keeper.tracks_still(paths[0])
                yield Finding((kept_fact(group, is_open=is_open),), paths)

    def elsewhere(self) -> Iterator[Finding]:
        """Yield directories that became links, or are no longer part of the tree."""
        numbers: dict[str, int] = {}
        for path, fate in self._found.items():
            if fate.elsewhere:
                while self._evidence.new.entry(path) is None:
                    path = path.rpartition("/")[0]
                numbers[path] = numbers.get(path, 0) + fate.elsewhere
        for path, number in numbers.items():
            entry = self._evidence.new.entry(path)
            target = entry.target.decode("utf-8", "surrogateescape") if entry is not None else ""
            below = [fate for one, fate in self._found.items() if _is_below(one, path)]
            claims = [path, *(change.path for fate in below for change in fate.files)]
            yield Finding((elsewhere_fact(path, number, target),), claims)

    def _below(self, directories: Sequence[str]) -> Iterator[str]:
        """Yield the changed paths below directories."""
        prefixes = tuple(f"{directory}/" for directory in directories)
        if prefixes:
            yield from (path for path in self._evidence.changes if path.startswith(prefixes))


def _is_below(path: str, directory: str) -> bool:
    return not directory or path == directory or path.startswith(f"{directory}/")


def _is_sqlite(evidence: Evidence, change: PathChange) -> bool:
    """Return whether a file is an SQLite database, which has its own detector."""
    if not change.name.endswith(_SQLITE):
        return False
    return next(evidence.old.pieces(change.path), b"").startswith(b"SQLite format 3\0")


def _old_directories(
    evidence: Evidence, found: Mapping[str, DirectoryFate]
) -> dict[tuple[str, str], dict[str, list[str]]]:
    """Return the deleted directories that are the oldest of their series, with their lost files.

    By the directory around them and the series, and then by name.
    """
    series: dict[tuple[str, str], dict[str, list[str]]] = {}
    for path, fate in found.items():
        if fate.lost:
            parent, _, name = _outermost_gone(evidence, path).rpartition("/")
            if series_of(name):
                files = series.setdefault((parent, series_of(name)), {}).setdefault(name, [])
                files += [change.path for change, _ in fate.lost]
    return {key: members for key, members in series.items() if _are_aged(evidence, key[0], members)}


def _are_aged(evidence: Evidence, parent: str, names: Iterable[str]) -> bool:
    prefix = f"{parent}/" if parent else ""
    changes = [evidence.changes.get(prefix + name) for name in names]
    deleted = {change.name: change.old for change in changes if change and change.old}
    return bool(deleted) and is_retention(evidence, parent, deleted, are_backups=False)


def _outermost_gone(evidence: Evidence, directory: str) -> str:
    """Return the outermost directory around a path that is gone, or ""."""
    found = ""
    while directory and evidence.new.entry(directory) is None:
        found, directory = directory, directory.rpartition("/")[0]
    return found
