"""Paths of git's own files, told by their names alone."""

from __future__ import annotations

GIT_BOOKKEEPING = "git bookkeeping"
"""The line about git's own files if nothing else can be said about them."""


def is_inside_git(path: str) -> bool:
    """Return whether a path is in a git directory, where a branch may be named `build`."""
    return path.startswith(".git/") or "/.git/" in path
