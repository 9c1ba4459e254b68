"""Move detector: files whose content is elsewhere now, by directory.

A deleted file and an added one with the same content are one file that moved.
If most files of a directory moved to another, the files that were edited on the way moved too.
Source files that git does not ignore are left to the detector of source files, repositories to
that of git, logs to that of logs, and generated files to theirs.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from itertools import islice

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.generated import GeneratedPaths
from clew.detectors.files.logs import is_log
from clew.detectors.files.source_languages import is_source
from clew.detectors.losses.disposable import is_disposable_directory
from clew.detectors.losses.names import mask_of
from clew.detectors.repositories.git_tracking import GitTracking
from clew.model.amount import counted
from clew.model.entry import EntryKind
from clew.model.fact import Fact
from clew.model.ids import ObjectId
from clew.policy.generated_names import BUILD, CACHE

_TELLING = 16
"""The size in bytes from which equal content is no coincidence, whatever the names."""
_MAX_FACTS = 8
_MAX_PAIRS = 40_000
"""More moved files are not counted."""
_EVIDENCE = 6
_SQLITE = (".db", ".sqlite", ".sqlite3", ".db3", "-wal", "-journal", "-shm")


Move = tuple[PathChange, PathChange]
"""A deleted file, and the added one that it is now."""


class Moves:
    """Reports moved files."""

    name = "losses/moves"
    version = 1
    kinds: tuple[str, ...] = ("move.moved",)
    watch = WatchedPaths(everything=True, existed=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        candidates = _Candidates(evidence)
        groups: dict[tuple[str, str], list[Move]] = {}
        for pair in islice(pair_by_content(changes), _MAX_PAIRS):
            if candidates.accepts(*pair):
                groups.setdefault(candidates.directories(*pair), []).append(pair)
        if not groups:
            return
        groups = _few(groups)
        deleted = _deleted_by_directory(changes)
        for (old, new), members in sorted(groups.items(), key=lambda one: -len(one[1])):
            total = _total(deleted, old)
            if 1 < len(members) < total:
                members += _edited_on_the_way(evidence, old, new, members)
            if len(members) == 1 and members[0][0].path.endswith(_SQLITE):
                continue  # its detector says where it came from
            yield _finding(old, new, members, total)


def pair_by_content(changes: Sequence[PathChange]) -> Iterator[Move]:
    """Yield deleted and added files with the same content, those with the same name first."""
    added: dict[ObjectId, list[PathChange]] = {}
    gone: list[PathChange] = []
    for change in changes:
        _, old, new = change
        if old is None:
            if new is not None and new.kind == EntryKind.FILE and new.size:
                added.setdefault(new.content, []).append(change)
        elif new is None and old.kind == EntryKind.FILE and old.size:
            gone.append(change)
    waiting: list[PathChange] = []
    for change in gone if added else ():
        places = added.get(change.old.content) if change.old is not None else None
        if not places:
            continue
        name = change.path.rpartition("/")[2]
        for one in places[:_EVIDENCE]:
            if one.path.endswith(name) and one.name == name:
                places.remove(one)
                yield change, one
                break
        else:
            waiting.append(change)
    for change in waiting:
        places = added[change.old.content] if change.old is not None else []
        if places and change.old is not None and change.old.size >= _TELLING:
            yield change, places.pop(0)


class _Candidates:
    """Decides which moved files this detector reports, and by which directories."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._generated = evidence.once(GeneratedPaths)
        self._tracking = evidence.once(GitTracking)
        self._mine: dict[str, dict[str, str] | None] = {}
        """Directories with what is known of the names in them; None for a directory of others."""
        self._known: dict[tuple[str, str, bool], tuple[str, str]] = {}

    def accepts(self, old: PathChange, new: PathChange) -> bool:
        return self._is_mine(old) and self._is_mine(new)

    def _is_mine(self, change: PathChange) -> bool:
        path = change.path
        parent, _, name = path.rpartition("/")
        if parent not in self._mine:
            is_mine = self._is_directory_mine(parent, change)
            self._mine[parent] = {} if is_mine else None
        names = self._mine[parent]
        if names is None or path in self._evidence.claimed or path in self._evidence.owners:
            return False
        mask = mask_of(name)
        if mask not in names:
            names[mask] = "log" if is_log(path) else "source" if is_source(name) else ""
        what = names[mask]
        return not what or (what == "source" and self._tracking.ignores(path))

    def _is_directory_mine(self, directory: str, change: PathChange) -> bool:
        if "/.git/" in f"/{directory}/":
            return False
        if is_disposable_directory(directory, is_machine=self._evidence.machine):
            return change.new is not None and "Trash" in directory  # a file may be moved there
        group = self._generated.directory_group(directory)
        return group is None or group.kind not in (BUILD, CACHE)

    def directories(self, old: PathChange, new: PathChange) -> tuple[str, str]:
        """Return the old and the new directory that best describe a move.

        The longest common end of both paths moved along, up to the outermost directory that is gone.
        """
        before, after = old.path.rpartition("/"), new.path.rpartition("/")
        key = before[0], after[0], before[2] == after[2]
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = _directories(self._evidence, old, new)
        return found


def _directories(evidence: Evidence, before: PathChange, after: PathChange) -> tuple[str, str]:
    old, new = before.path.split("/"), after.path.split("/")
    most = min(len(old) - _surviving(evidence, old), len(new))
    along = 1  # the file itself
    if old[-1] == new[-1]:
        while along < most and old[-along - 1] == new[-along - 1]:
            along += 1
    return "/".join(old[: len(old) - along]), "/".join(new[: len(new) - along])


def _surviving(evidence: Evidence, names: Sequence[str]) -> int:
    """Return how many names lead to the outermost directory that is gone, else to the file's."""
    for number in range(1, len(names)):
        entry = evidence.new.entry("/".join(names[:number]))
        if entry is None or not entry.is_directory:
            return number
    return len(names) - 1


def _few(groups: dict[tuple[str, str], list[Move]]) -> dict[tuple[str, str], list[Move]]:
    """Return the groups, by shorter directories if there are too many."""
    depth = max(max(old.count("/"), new.count("/")) for old, new in groups) + 1
    while len(groups) > _MAX_FACTS and depth > 0:
        depth = min(depth - 1, 8)
        merged: dict[tuple[str, str], list[Move]] = {}
        for (old, new), members in groups.items():
            merged.setdefault((_cut(old, depth), _cut(new, depth)), []).extend(members)
        groups = merged
    return groups


def _cut(directory: str, depth: int) -> str:
    return "/".join(directory.split("/")[:depth])


def _deleted_by_directory(changes: Sequence[PathChange]) -> dict[str, int]:
    """Return the number of deleted files below each directory."""
    found: dict[str, int] = {}
    for change in changes:
        if change.new is None:
            parent = change.parent
            found[parent] = found.get(parent, 0) + 1
    return found


def _total(deleted: dict[str, int], directory: str) -> int:
    prefix = f"{directory}/"
    return sum(
        number
        for path, number in deleted.items()
        if path == directory or path.startswith(prefix) or not directory
    )


def _edited_on_the_way(
    evidence: Evidence, old: str, new: str, members: Sequence[Move]
) -> list[Move]:
    """Return files of the old directory that are at the same place of the new one, edited."""
    taken = {move[0].path for move in members}
    found: list[Move] = []
    prefix = f"{old}/" if old else ""
    parents = {posixpath.dirname(path) for path in taken}
    for parent in parents:
        for name in evidence.old.entries(parent):
            path = f"{parent}/{name}" if parent else name
            change = evidence.changes.get(path)
            if path in taken or change is None or change.new is not None:
                continue
            target = evidence.changes.get(posixpath.join(new, path[len(prefix) :]))
            if target is not None and target.old is None and not change.is_directory:
                found.append((change, target))
    return found


def _finding(old: str, new: str, members: Sequence[Move], total: int) -> Finding:
    paths = [change.path for move in members for change in move]
    if len(members) == 1:
        before, after = paths
        marks: tuple[str, ...] = ()
    else:
        before, after = old or ".", new or "."
        number = len(members)
        of = f"{number:,} of {total:,} files"
        marks = (of if total > number else counted(number, "file"),)
        if number >= _MAX_PAIRS:
            marks = (f"more than {number:,} files",)
    fact = Fact(
        "move.moved", "files", before, before, after, evidence=tuple(paths[:_EVIDENCE]), marks=marks
    )
    return Finding((fact,), paths)
