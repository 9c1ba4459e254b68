"""Moved and copied SQLite databases, and directories with many of them.

A file with the same bytes was moved or copied; its tables are neither new nor dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clew.detectors.data.app_state import is_app_state
from clew.detectors.data.data_facts import data_fact, split_crowds
from clew.detectors.detector import Evidence, Finding, PathChange
from clew.model.entry import Entry
from clew.model.ids import ObjectId

_CROWD = 12
"""How many databases of one directory are reported one by one."""
_LOGS = ("-wal", "-journal")


def crowd_findings(evidence: Evidence, databases: Mapping[str, list[str]]) -> Iterator[Finding]:
    """Yield a summary of each directory with many changed databases."""
    changes = [
        evidence.changes.get(path)
        or PathChange(path, evidence.old.entry(path), evidence.new.entry(path))
        for path, members in databases.items()
        if evidence.unclaimed(members) and not is_app_state(path)
    ]
    for finding in split_crowds("sqlite", changes, _CROWD, "database")[1]:
        yield finding._replace(claims=[one for path in finding.claims for one in databases[path]])


def moved_or_copied(
    evidence: Evidence, path: str, members: list[str]
) -> tuple[Finding, ...] | None:
    """Return the finding about a moved or copied file, or None if it is neither."""
    change = evidence.changes.get(path)
    if change is None or (change.old is not None and change.new is not None):
        return None
    if any(tree.entry(path + end) for tree in (evidence.old, evidence.new) for end in _LOGS):
        return None
    added, deleted = evidence.once(AddedAndDeleted).by_content
    if change.new is None:
        return () if change.old and change.old.content in added else None
    origin = deleted.get(change.new.content)
    if origin is not None:
        fact = data_fact("sqlite", path, marks=(f"moved from {origin}",))
        return (Finding((fact,), (*members, origin)),)
    copy = _sibling_copy(evidence, change, change.new)
    if copy is None:
        return None
    return (Finding((data_fact("sqlite", path, marks=(f"copy of {copy}",)),), tuple(members)),)


def is_moved_file(evidence: Evidence, path: str) -> bool:
    """Return whether the old content of a file is in another place now."""
    entry = evidence.old.entry(path)
    added, _ = evidence.once(AddedAndDeleted).by_content
    return entry is not None and entry.content in added


class AddedAndDeleted:
    """Added and deleted files by content."""

    def __init__(self, evidence: Evidence) -> None:
        added: dict[ObjectId, str] = {}
        deleted: dict[ObjectId, str] = {}
        for path, change in evidence.changes.items():
            if change.old is None and change.new is not None and change.new.size:
                added.setdefault(change.new.content, path)
            elif change.new is None and change.old is not None and change.old.size:
                deleted.setdefault(change.old.content, path)
        self.by_content = added, deleted


def _sibling_copy(evidence: Evidence, change: PathChange, entry: Entry) -> str | None:
    """Return a file in the same directory with the same content."""
    siblings = evidence.new.entries(change.parent)
    prefix = f"{change.parent}/" if change.parent else ""
    for name, other in siblings.items():
        is_older = f"{prefix}{name}" not in evidence.changes or evidence.old.entry(prefix + name)
        if name != change.name and other.is_file and other.content == entry.content and is_older:
            return prefix + name
    return None
