"""Indexes of all repositories in both trees, each parsed once.

Use `evidence.once(GitIndexes)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from clew.detectors.detector import Evidence, TooLarge, Tree
from clew.detectors.repositories.git_index import Staged, parse_index

_LIMIT = 16 << 20


class GitIndexes:
    """Tracked paths by git directory."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._known: dict[tuple[str, bool], Mapping[str, Staged] | None] = {}

    def old(self, git_dir: str) -> Mapping[str, Staged] | None:
        """Return what was tracked, relative to the working tree; None if it cannot be read."""
        is_same = f"{git_dir}/index" not in self._evidence.changes
        return self.new(git_dir) if is_same else self._of(self._evidence.old, git_dir, False)

    def new(self, git_dir: str) -> Mapping[str, Staged] | None:
        """Return what is tracked."""
        return self._of(self._evidence.new, git_dir, True)

    def _of(self, tree: Tree, git_dir: str, is_new: bool) -> Mapping[str, Staged] | None:
        key = git_dir, is_new
        if key not in self._known:
            self._known[key] = _parsed(tree, f"{git_dir}/index")
        return self._known[key]


def _parsed(tree: Tree, path: str) -> Mapping[str, Staged] | None:
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
