"""Parsed files of a story: each version of a file is read and parsed once, within a budget.

Several detectors look into the same files; `evidence.once(ParsedFiles)` is what they share.
"""

from __future__ import annotations

from clew.detectors.detector import Evidence, PathChange, Tree
from clew.detectors.formats.reading import SIZE_LIMIT, read_values, syntax_of
from clew.detectors.formats.values import Unreadable, Value
from clew.model.entry import Entry
from clew.model.named_tuple import NamedTuple

_BUDGET = 384 << 10
"""Bytes of slow syntaxes that are parsed in one story: about a quarter of a second."""
_COST = {"json": 0.1, "xml": 0.2, "plist": 0.2}
"""The cost of a byte of a fast syntax."""


class Parsed(NamedTuple):
    """The value of a file."""

    value: Value


class ParsedFiles:
    """The values of the files that detectors asked for."""

    def __init__(self, evidence: Evidence) -> None:
        self._old = evidence.old
        self._new = evidence.new
        self._left: float = _BUDGET
        self._known: dict[tuple[bool, str], Parsed | None] = {}

    def old(self, change: PathChange) -> Parsed | None:
        """Return the old value of a file; None if it cannot be read."""
        return self._side(change.path, change.old, self._old)

    def new(self, change: PathChange) -> Parsed | None:
        """Return the new value of a file; None if it cannot be read."""
        return self._side(change.path, change.new, self._new)

    def _side(self, path: str, entry: Entry | None, tree: Tree) -> Parsed | None:
        key = (tree is self._new, path)
        if key not in self._known:
            self._known[key] = self._parse(path, entry, tree)
        return self._known[key]

    def _parse(self, path: str, entry: Entry | None, tree: Tree) -> Parsed | None:
        syntax = syntax_of(path)
        if not syntax or entry is None or not entry.is_file or entry.size > SIZE_LIMIT:
            return None
        self._left -= entry.size * _COST.get(syntax, 1.0)
        content = tree.read(path) if self._left >= 0 else None
        if content is None:
            return None
        try:
            return Parsed(read_values(path, content))
        except (Unreadable, RecursionError):
            return None
