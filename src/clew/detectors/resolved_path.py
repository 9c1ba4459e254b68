"""Symbolic links of a snapshot, followed inside it."""

from __future__ import annotations

import posixpath

from clew.detectors.detector import Tree

_MAX_LINKS = 8


def resolved_path(tree: Tree, path: str, *, is_machine: bool) -> str | None:
    """Return where a path leads, which may not exist; None if that is outside the tree."""
    for _ in range(_MAX_LINKS):
        entry = tree.entry(path)
        if entry is None or not entry.target:
            return path
        target = entry.target.decode("utf-8", "surrogateescape")
        if target.startswith("/"):
            if not is_machine:
                return None
            path = posixpath.normpath(target).strip("/")
        else:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if path == ".." or path.startswith("../"):
            return None
    return None
