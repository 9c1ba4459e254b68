"""Census: file counts of directories, which determine the information loss of a line."""

from __future__ import annotations

from clew.detectors.detector import Evidence

LARGE = 2_000
"""Limit of the file count of one directory."""
_BUDGET = 20_000
"""Limit of entries read in total."""


class Census:
    """Counts the files under a directory, old and new together, up to a limit."""

    def __init__(self, evidence: Evidence) -> None:
        self._tree = evidence.new
        self._known: dict[str, int] = {}
        self._budget = _BUDGET
        self._deleted: dict[str, int] = {}
        for path, change in evidence.changes.items():
            if change.is_deleted and not change.is_directory:
                parent = path.rpartition("/")[0]
                self._deleted[parent] = self._deleted.get(parent, 0) + 1

    def __call__(self, directory: str) -> int:
        """Return the count; if called for the deepest first, it reads each directory once."""
        number = 0
        waiting = [directory]
        while waiting and number < LARGE and self._budget > 0:
            path = waiting.pop()
            known = self._known.get(path)
            if known is not None:
                number += known
                continue
            number += self._deleted.get(path, 0)
            for name, entry in self._tree.entries(path).items():
                self._budget -= 1
                if entry.is_directory:
                    waiting.append(f"{path}/{name}" if path else name)
                else:
                    number += 1
        number = LARGE if waiting else number
        self._known[directory] = number
        return number
