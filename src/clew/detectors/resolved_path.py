"""Symbolic links of a snapshot, followed inside it."""

from __future__ import annotations

import posixpath

from clew.detectors.detector import Tree

_MAX_LINKS = 8


def resolved_path(
    tree: Tree, path: str, *, is_machine: bool, place: str | None = None
) -> str | None:
    """Return where a path leads, which may not exist; None if that is outside the tree.

    `place` is the path of the root of the tree, if it is known.
    """
    top = "" if is_machine else place
    for _ in range(_MAX_LINKS):
        entry = tree.entry(path)
        if entry is None or not entry.target:
            return path
        target = entry.target.decode("utf-8", "surrogateescape")
        if target.startswith("/"):
            target = posixpath.normpath(target)
            if top is None or not target.startswith(f"{top}/"):
                return None
            path = target[len(top) :].strip("/")
        else:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if path == ".." or path.startswith("../"):
            return None
    return None
