"""Reader of source file versions: each is read once, within a total budget."""

from __future__ import annotations

from clew.detectors.detector import Evidence, PathChange, TooLarge, Tree
from clew.model.entry import Entry, EntryKind

_FILE_LIMIT = 2 << 20
MAX_READ = 2_000
_MAX_BYTES = 64 << 20
"""The total number of bytes read; beyond it the facts have less detail."""


class Reader:
    """Cached contents of source files."""

    def __init__(self, evidence: Evidence, max_read: int = MAX_READ) -> None:
        self._evidence = evidence
        self._files_left = max_read
        self._bytes_left = _MAX_BYTES
        self._known: dict[tuple[int, str], bytes | None] = {}

    def content(self, change: PathChange) -> bytes | None:
        """Return the new content of a file, or the old if it was deleted; None if too large."""
        if change.new is None:
            return self.side(self._evidence.old, change.path, change.old)
        return self.side(self._evidence.new, change.path, change.new)

    def side(self, tree: Tree, path: str, entry: Entry | None) -> bytes | None:
        if entry is None:
            return b""
        if entry.kind == EntryKind.SYMLINK:
            return entry.target
        key = (id(tree), path)
        if key not in self._known:
            self._known[key] = self._read(tree, path, entry)
        return self._known[key]

    def _read(self, tree: Tree, path: str, entry: Entry) -> bytes | None:
        if self._files_left < 1 or entry.size > min(_FILE_LIMIT, self._bytes_left):
            return None
        self._files_left -= 1
        self._bytes_left -= entry.size
        try:
            return tree.read(path, _FILE_LIMIT)
        except TooLarge:
            return None
