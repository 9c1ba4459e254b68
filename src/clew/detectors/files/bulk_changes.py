"""Bulk change detector: one line for a directory in which thousands of files of many kinds changed.

Such a change is an archive unpacked, a data set copied, a directory written again by a program.
A line for each kind of file would not name the directory, and reading each file takes long.
Files of one kind are left to the detector of that kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.model.amount import size_text
from clew.model.fact import Fact

_MANY = 5_000
_SHARE = 0.9
"""Part of the changed files that must be in the directory."""
_ONE_KIND = 0.8
"""Part of the files that has the same ending, above which they are of one kind."""


class BulkChanges:
    """Reports directories in which very many files were added, edited or deleted."""

    name = "files/bulk"
    version = 1
    kinds: tuple[str, ...] = ("directory.added", "directory.changed", "directory.removed")
    watch = WatchedPaths(everything=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        bulk = evidence.once(BulkDirectory)
        inside = [change for change in changes if bulk.holds(change.path)]
        if len(inside) >= _MANY:
            claims = [change.path for change in inside]
            yield Finding((_fact(evidence, bulk.path, inside),), claims)


class BulkDirectory:
    """The directory with thousands of changed files, if there is one; `evidence.once(BulkDirectory)`."""

    def __init__(self, evidence: Evidence) -> None:
        self.path = ""
        if len(evidence.changes) < _MANY:
            return
        files = [
            change
            for path, change in evidence.changes.items()
            if not change.is_directory and path not in evidence.claimed
        ]
        directory = _directory_of_most([change.path for change in files])
        inside = [change for change in files if change.path.startswith(f"{directory}/")]
        if directory and len(inside) >= _MANY and not _are_of_one_kind(inside):
            self.path = directory

    def holds(self, path: str) -> bool:
        """Return whether a path is in it."""
        return self.path != "" and path.startswith(f"{self.path}/")


def _directory_of_most(paths: Sequence[str]) -> str:
    """Return the deepest directory with most of the paths; empty if that is the root."""
    found, left = "", list(paths)
    while True:
        start = len(found) + 1 if found else 0
        names = Counter(path[start:].partition("/")[0] for path in left if "/" in path[start:])
        if not names:
            return found
        name, number = names.most_common(1)[0]
        if number < _SHARE * len(paths):
            return found
        found = f"{found}/{name}" if found else name
        left = [path for path in left if path.startswith(f"{found}/")]


def _are_of_one_kind(changes: Sequence[PathChange]) -> bool:
    endings = Counter(change.name.rpartition(".")[2] for change in changes)
    return endings.most_common(1)[0][1] > _ONE_KIND * len(changes)


def _fact(evidence: Evidence, directory: str, changes: Sequence[PathChange]) -> Fact:
    added = sum(change.is_added for change in changes)
    deleted = sum(change.is_deleted for change in changes)
    edited = len(changes) - added - deleted
    numbers = ((added, "added"), (edited, "edited"), (deleted, "deleted"))
    marks = tuple(f"{number:,} {word}" for number, word in numbers if number)
    own = evidence.changes.get(directory)
    whole = own is not None and (own.is_added or own.is_deleted) and len(marks) == 1
    word = ("added" if added else "removed") if whole else "changed"
    sizes = [_size(change) for change in changes]
    return Fact(
        f"directory.{word}", "directory", directory, after=size_text(sum(sizes)), marks=marks
    )


def _size(change: PathChange) -> int:
    entry = change.new or change.old
    return entry.size if entry is not None and entry.is_file else 0
