"""Indexes of all repositories in both trees, each parsed once: `evidence.once(GitIndexes)`."""

from __future__ import annotations

from collections.abc import Mapping

from clew.detectors.detector import Evidence, TooLarge, Tree
from clew.detectors.repositories.git_index import Staged, parse_index

_INDEX_LIMIT = 16 << 20
_ID_SIZES = (20, 32)

Index = Mapping[str, Staged]


class GitIndexes:
    """The staged files of repositories by path, before and after."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._known: dict[tuple[bool, str], Index | None] = {}

    def old(self, own: str) -> Index | None:
        """Return the old index of a git directory; None if it cannot be read."""
        if f"{own}/index" not in self._evidence.changes:
            return self.new(own)
        return self._index(own, is_new=False)

    def new(self, own: str) -> Index | None:
        """Return the new index of a git directory; empty if it has none."""
        return self._index(own, is_new=True)

    def in_tree(self, tree: Tree, own: str) -> Index | None:
        """Return the index in one of the two trees."""
        return self.old(own) if tree is self._evidence.old else self.new(own)

    def _index(self, own: str, *, is_new: bool) -> Index | None:
        key = is_new, own
        if key not in self._known:
            tree = self._evidence.new if is_new else self._evidence.old
            self._known[key] = _read_index(tree, f"{own}/index")
        return self._known[key]


def _read_index(tree: Tree, path: str) -> Index | None:
    try:
        content = tree.read(path, _INDEX_LIMIT)
    except TooLarge:
        return None
    if content is None:
        return {}
    for id_size in _ID_SIZES:
        try:
            return parse_index(content, id_size)
        except ValueError:
            continue
    return None
