"""Edited files: which changed files are looked into, and when there are too many.

Files of packages, dependencies, build output and fresh clones were not written here.  If thousands
of files changed at once, those of directories that came or went as a whole, or in which many changed,
are left to the roll-up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from clew.detectors.detector import Evidence, PathChange
from clew.detectors.files.source_languages import is_generated_or_vendored
from clew.detectors.security.security_rules import in_fresh_clone, is_dependency

_MANY = 2_000
_CROWD = 50
"""Changed files of one directory above which none is looked into, if there are many in all."""


def edited_files(
    evidence: Evidence, changes: Iterable[PathChange], limit: int
) -> Iterator[PathChange]:
    """Yield the files with other content that people or agents wrote, none larger than `limit`."""
    found = list(changes)
    if len(found) > _MANY:
        found = _sparse(evidence, found)
    for change in found:
        path = change.path
        if not _is_readable(change, limit) or path in evidence.owners:
            continue
        if is_dependency(path) or is_generated_or_vendored(path) or in_fresh_clone(evidence, path):
            continue
        yield change


def _sparse(evidence: Evidence, changes: Sequence[PathChange]) -> list[PathChange]:
    """Return the changes in directories that were there before, and in which few files changed."""
    parents = [change.path.rpartition("/")[0] for change in changes]
    counts = Counter(parents)
    kept = {
        parent
        for parent, number in counts.items()
        if number <= _CROWD and not _is_whole(evidence.changes.get(parent))
    }
    return [change for change, parent in zip(changes, parents, strict=True) if parent in kept]


def _is_whole(change: PathChange | None) -> bool:
    return change is not None and (change.is_added or change.is_deleted)


def _is_readable(change: PathChange, limit: int) -> bool:
    old, new = change.old, change.new
    if old is not None and (not old.is_file or old.size > limit):
        return False
    if new is not None and (not new.is_file or new.size > limit):
        return False
    return change.is_content
