"""Scan notes: hard links, uncovered paths, unstable files, and cache updates of a walk.

They are plain lists and dictionaries, so that a worker process can send its share over a pipe.
"""

from __future__ import annotations

from clew.model.entry import Reason
from clew.model.ids import ObjectId, StateId
from clew.model.record import UNCOVERED_PATHS_KEPT, Coverage, Uncovered
from clew.worktree.cache import CachedDirectory, DirectoryUpdate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ScanNotes:
    """The results, besides trees, of one walk or of one process's share of it."""

    def __init__(self) -> None:
        self.linked: dict[tuple[int, int], list[bytes]] = {}
        self.uncovered: list[tuple[bytes, int]] = []
        self.counts: dict[str, int] = {}
        self.unstable: list[bytes] = []
        self.updates: list[DirectoryUpdate] = []
        self.visited: set[int] = set()
        self.problems: list[tuple[bytes, str]] = []
        self.files = 0
        self.bytes = 0

    def leave_out(self, path: bytes, reason: int) -> None:
        """Record a path that the tree does not cover."""
        text = Reason.NAMES[reason]
        self.counts[text] = self.counts.get(text, 0) + 1
        if len(self.uncovered) < UNCOVERED_PATHS_KEPT:
            self.uncovered.append((path, reason))

    def groups(self) -> list[tuple[bytes, ...]]:
        """Return the hard links with two or more names in the workspace."""
        return [tuple(group) for group in self.linked.values() if len(group) > 1]

    def linked_outside(self) -> list[bytes]:
        """Return the files whose other names are all outside the workspace."""
        return [group[0] for group in self.linked.values() if len(group) == 1]

    def coverage(self, blind: int) -> Coverage:
        uncovered = sorted(self.uncovered)[:UNCOVERED_PATHS_KEPT]
        return Coverage(
            files=self.files,
            total_bytes=self.bytes,
            counts=tuple(sorted(self.counts.items())),
            uncovered=tuple(Uncovered(path, reason) for path, reason in uncovered),
            unstable=tuple(sorted(set(self.unstable))),
            blind=blind,
        )

    def dump(self) -> tuple[Any, ...]:
        """Return the notes as values that `marshal` supports."""
        updates = [
            (item.number, tuple(item.directory), item.rows, sorted(item.untrusted))
            for item in self.updates
        ]
        return (
            self.linked, self.uncovered, self.counts, self.unstable, updates,
            sorted(self.visited), self.problems, self.files, self.bytes,
        )  # fmt: skip

    def add(self, dumped: tuple[Any, ...]) -> None:
        """Add the dumped notes of another process."""
        linked, uncovered, counts, unstable, updates, visited, problems, files, size = dumped
        for inode, names in linked.items():
            self.linked.setdefault(inode, []).extend(names)
        self.uncovered.extend(uncovered)
        for reason, number in counts.items():
            self.counts[reason] = self.counts.get(reason, 0) + number
        self.unstable.extend(unstable)
        for number, (key, tree, state), rows, untrusted in updates:
            directory = CachedDirectory(key, ObjectId(tree), StateId(state))
            self.updates.append(DirectoryUpdate(number, directory, rows, set(untrusted)))
        self.visited.update(visited)
        self.problems.extend(problems)
        self.files += files
        self.bytes += size
