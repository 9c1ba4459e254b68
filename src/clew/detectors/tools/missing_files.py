"""Files that a record lists and a tree lacks; excluded files count as present."""

from __future__ import annotations

from collections.abc import Iterable

from clew.detectors.detector import Tree
from clew.model.entry import EntryKind

MAX_LISTED = 50_000
"""How many paths of one record are looked up."""


def missing_files(tree: Tree, paths: Iterable[str]) -> list[str]:
    """Return the paths that are not in a tree, although their directories were captured."""
    found = []
    uncovered: dict[str, bool] = {"": False}
    for path in paths:
        if tree.entry(path) is None and not _is_uncovered(tree, path.rpartition("/")[0], uncovered):
            found.append(path)
    return found


def _is_uncovered(tree: Tree, directory: str, known: dict[str, bool]) -> bool:
    """Return whether the contents of a directory are not captured, so nothing is known of them."""
    waiting: list[str] = []
    while directory not in known:
        waiting.append(directory)
        directory = directory.rpartition("/")[0]
    is_uncovered = known[directory]
    for path in reversed(waiting):
        entry = tree.entry(path)
        is_uncovered = is_uncovered or (entry is not None and entry.kind == EntryKind.UNCOVERED)
        known[path] = is_uncovered
    return is_uncovered
