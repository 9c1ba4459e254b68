"""Copies: content of deleted and overwritten files that is elsewhere in the new tree."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from clew.detectors.detector import Evidence
from clew.model.ids import ObjectId

_MAX_ENTRIES = 20_000
"""How many entries of the new tree are compared."""
_SKIPPED = frozenset((".git", "node_modules", "site-packages", "__pycache__", "proc", "sys"))


class Copies:
    """Content that the new tree has; `evidence.once(Copies)`."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.written: frozenset[ObjectId] = frozenset(
            change.new.content
            for change in evidence.changes.values()
            if change.new is not None and change.new.is_file and change.new.size
        )
        """Content of all files that are new or different."""

    def find(self, wanted: AbstractSet[ObjectId]) -> set[ObjectId]:
        """Return those of `wanted` that the new tree has; directories near its root come first."""
        found = set(wanted & self.written)
        left = _MAX_ENTRIES
        waiting = [""]
        while waiting and left > 0 and len(found) < len(wanted):
            below: list[str] = []
            for directory in waiting:
                entries = self._evidence.new.entries(directory)
                left -= len(entries)
                for name, entry in entries.items():
                    if entry.is_file:
                        if entry.content in wanted and entry.size:
                            found.add(entry.content)
                    elif entry.is_directory and name not in _SKIPPED:
                        below.append(f"{directory}/{name}" if directory else name)
                if left <= 0:
                    break
            waiting = below
        return found
