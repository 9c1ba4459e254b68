"""Series of files: backups and snapshots with a number or a date in their name.

Retention deletes the oldest of a series and keeps newer ones.  That is no loss if at least as many
are left as were deleted, for backups, or if at least as many were added, for any other files.
The oldest are those with the lowest numbers in their names, or with the earliest mtimes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from clew.detectors.detector import Evidence
from clew.model.entry import Entry

_NUMBERS = re.compile(r"[0-9]{1,20}")
_BACKUPS = re.compile(
    r"back-?_?up|bak|dump|snapshot|checkpoint|ckpt|archive|release|epoch|step|rotat|version|nightly"
)
"""Words of directories and files of which only the newest are kept."""


def series_of(name: str) -> str:
    """Return the name with a sign for each number; empty if it has none."""
    found = _NUMBERS.sub("#", name)
    return found if found != name else ""


def is_retention(
    evidence: Evidence, directory: str, deleted: Mapping[str, Entry], *, are_backups: bool
) -> bool:
    """Return whether the deleted entries of a directory are the oldest of one series."""
    series = series_of(next(iter(deleted)))
    if not series or any(series_of(name) != series for name in deleted):
        return False
    entries = evidence.new.entries(directory)
    left = {name: entry for name, entry in entries.items() if series_of(name) == series}
    prefix = f"{directory}/" if directory else ""
    added = sum(_is_added(evidence, prefix + name) for name in left)
    are_backups = are_backups or bool(_BACKUPS.search(f"{directory}/{series}".lower()))
    is_enough = added >= len(deleted) or (are_backups and len(left) >= len(deleted))
    return is_enough and bool(left) and _are_oldest(deleted, left)


def _is_added(evidence: Evidence, path: str) -> bool:
    change = evidence.changes.get(path)
    return change is not None and change.old is None


def _are_oldest(deleted: Mapping[str, Entry], left: Mapping[str, Entry]) -> bool:
    if max(map(_key, deleted)) < min(map(_key, left)):
        return True
    times = max(entry.mtime_ns for entry in deleted.values())
    return 0 < times < min(entry.mtime_ns for entry in left.values())


def _key(name: str) -> tuple[int, ...]:
    return tuple(int(number) for number in _NUMBERS.findall(name))
