"""Move detector: files whose content is elsewhere now, by directory.

A deleted file and an added one with the same content are one file that moved.
If most files of a directory moved to another, the files that were edited on the way moved too.
Source files that git does not ignore are left to the detector of source files, repositories to
that of git, logs to that of logs, and generated files to theirs.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.generated import GeneratedPaths
from clew.detectors.files.generated_names import BUILD, CACHE
from clew.detectors.files.logs import is_log
from clew.detectors.files.source_languages import is_source
from clew.detectors.losses.disposable import is_disposable_directory
from clew.detectors.repositories.git_tracking import GitTracking
from clew.model.amount import counted
from clew.model.entry import Entry
from clew.model.fact import Fact
from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple

_TELLING = 16
"""The size in bytes from which equal content is no coincidence, whatever the names."""
_MAX_FACTS = 8
_EVIDENCE = 6
_SQLITE = (".db", ".sqlite", ".sqlite3", ".db3", "-wal", "-journal", "-shm")


class Move(NamedTuple):
    """One moved file."""

    old: PathChange
    new: PathChange


class Moves:
    """Reports moved files."""

    name = "losses/moves"
    version = 1
    kinds: tuple[str, ...] = ("move.moved",)
    watch = WatchedPaths(everything=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        candidates = _Candidates(evidence)
        pairs = [pair for pair in pair_by_content(changes) if candidates.accepts(pair)]
        if not pairs:
            return
        groups: dict[tuple[str, str], list[Move]] = {}
        for pair in pairs:
            groups.setdefault(_directories(evidence, pair), []).append(pair)
        groups = _few(groups)
        deleted = _deleted_by_directory(changes) if any(map(all, groups)) else {}
        for (old, new), members in sorted(groups.items(), key=lambda one: -len(one[1])):
            if len(members) > 1:
                members += _edited_on_the_way(evidence, old, new, members)
            if len(members) == 1 and members[0].old.name.endswith(_SQLITE):
                continue  # its detector says where it came from
            yield _finding(old, new, members, _total(deleted, old))


def pair_by_content(changes: Sequence[PathChange]) -> Iterator[Move]:
    """Yield deleted and added files with the same content, those with the same name first."""
    added: dict[ObjectId, list[PathChange]] = {}
    for change in changes:
        if change.old is None and change.new is not None and _is_telling(change.new):
            added.setdefault(change.new.content, []).append(change)
    if not added:
        return
    waiting: list[PathChange] = []
    for change in changes:
        old = change.old
        if change.new is None and old is not None and _is_telling(old) and old.content in added:
            places = added[old.content]
            same = next((one for one in places[:_EVIDENCE] if one.name == change.name), None)
            if same is None:
                waiting.append(change)
            else:
                places.remove(same)
                yield Move(change, same)
    for change in waiting:
        places = added[change.old.content] if change.old is not None else []
        if places and change.old is not None and change.old.size >= _TELLING:
            yield Move(change, places.pop(0))


def _is_telling(entry: Entry) -> bool:
    return entry.is_file and entry.size > 0


class _Candidates:
    """Decides which moved files this detector reports."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._generated = evidence.once(GeneratedPaths)
        self._tracking = evidence.once(GitTracking)

    def accepts(self, pair: Move) -> bool:
        return self._is_mine(pair.old) and self._is_mine(pair.new)

    def _is_mine(self, change: PathChange) -> bool:
        path = change.path
        if path in self._evidence.claimed or path in self._evidence.owners:
            return False
        if "/.git/" in f"/{path}" or is_log(path):
            return False
        parent = change.parent
        if is_disposable_directory(parent, is_machine=self._evidence.machine):
            return change.new is not None and "Trash" in parent  # a file may be moved there
        group = self._generated.directory_group(parent)
        if group is not None:
            return group.kind not in (BUILD, CACHE)
        return is_source(change.name) is not True or self._tracking.ignores(path)


def _directories(evidence: Evidence, pair: Move) -> tuple[str, str]:
    """Return the old and the new directory that best describe a move.

    The longest common end of both paths moved along, up to the outermost directory that is gone.
    """
    old, new = pair.old.path.split("/"), pair.new.path.split("/")
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
    taken = {move.old.path for move in members}
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
                found.append(Move(change, target))
    return found


def _finding(old: str, new: str, members: Sequence[Move], total: int) -> Finding:
    paths = [path for move in members for path in (move.old.path, move.new.path)]
    if len(members) == 1:
        before, after = paths
        marks: tuple[str, ...] = ()
    else:
        before, after = old or ".", new or "."
        number = len(members)
        of = f"{number:,} of {total:,} files"
        marks = (of if total > number else counted(number, "file"),)
    fact = Fact(
        "move.moved", "files", before, before, after, evidence=tuple(paths[:_EVIDENCE]), marks=marks
    )
    return Finding((fact,), paths)
