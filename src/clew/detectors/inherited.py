"""What a directory inherits: it is of a kind if it or a directory above it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def inherited(known: dict[str, T], directory: str, kind_of: Callable[[str], T]) -> T:
    """Return the kind of the topmost directory at or above `directory` that has one.

    `known` is filled; it must have the root, "".  No recursion: a tree may be deeper than the stack.
    """
    missing: list[str] = []
    while directory not in known:
        missing.append(directory)
        directory = directory.rpartition("/")[0]
    found = known[directory]
    for path in reversed(missing):
        found = found or kind_of(path)
        known[path] = found
    return found
