"""Indexes of all repositories in both trees, each parsed once.

Use `evidence.once(GitIndexes)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from clew.detectors.detector import Evidence, TooLarge, Tree
from clew.detectors.repositories.git_index import Staged, parse_index
from clew.model.ids import ObjectId

_LIMIT = 16 << 20

Index = Mapping[str, Staged]
"""Staged files by path, relative to the working tree."""


class GitIndexes:
    """Tracked paths by git directory."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._known: dict[ObjectId, Index | None] = {}

    def old(self, git_dir: str) -> Index | None:
        """Return what was tracked, relative to the working tree; None if it cannot be read."""
        is_same = f"{git_dir}/index" not in self._evidence.changes
        return self.new(git_dir) if is_same else self._of(self._evidence.old, git_dir)

    def new(self, git_dir: str) -> Index | None:
        """Return what is tracked."""
        return self._of(self._evidence.new, git_dir)

    def in_tree(self, tree: Tree, git_dir: str) -> Index | None:
        """Return what is tracked in one of the two trees."""
        return self._of(tree, git_dir)

    def _of(self, tree: Tree, git_dir: str) -> Index | None:
        path = f"{git_dir}/index"
        entry = tree.entry(path)
        if entry is None or not entry.is_file:
            return {}
        if entry.content not in self._known:
            self._known[entry.content] = _parsed(tree, path)
        return self._known[entry.content]


def _parsed(tree: Tree, path: str) -> Index | None:
    try:
        content = tree.read(path, _LIMIT)
    except TooLarge:
        return None
    if content is None:
        return {}
    try:
        return parse_index(content, 32 if _has_long_ids(content) else 20)
    except ValueError:
        return None


def _has_long_ids(content: bytes) -> bool:
    """Return whether the hash at the end of an index is one of SHA-256."""
    return sha256(content[:-32]).digest() == content[-32:]
