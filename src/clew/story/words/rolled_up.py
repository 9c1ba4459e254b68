"""Words for paths that no detector claimed."""

from __future__ import annotations

from collections.abc import Mapping

from clew.detectors.detector import PathChange
from clew.model.amount import counted, size_text
from clew.story.census import LARGE
from clew.story.rollup import PathGroup

_SIZED = 1_000
"""Bytes above which the size of a file is told."""


def describe(group: PathGroup, changes: Mapping[str, PathChange]) -> str:
    """Return the words for rolled-up paths."""
    name = group.directory or "."
    if group.is_single:
        word = "added" if group.added else "deleted" if group.deleted else "changed"
        change = changes.get(group.directory)
        return f"{name} {word}{_sizes(change) if change is not None else ''}"
    number = len(group.paths)
    if group.whole == "new":
        return f"{name}/ new directory, {counted(group.added, 'file')}"
    if group.whole == "gone":
        return f"{name}/ deleted, {counted(group.deleted, 'file')}"
    parts = [
        f"{amount:,} {word}"
        for amount, word in (
            (group.added, "added"),
            (group.changed, "changed"),
            (group.deleted, "deleted"),
        )
        if amount
    ]
    of = f" of {group.total:,}" if group.changed == number and group.total < LARGE else ""
    return f"{name}/ {', '.join(parts)}{of}"


def _sizes(change: PathChange) -> str:
    """Return the sizes of a file whose content is another, in brackets; nothing for a small file."""
    sides = [entry for entry in (change.old, change.new) if entry is not None and entry.is_file]
    if not change.is_content or max((entry.size for entry in sides), default=0) < _SIZED:
        return ""
    texts = list(dict.fromkeys(size_text(entry.size) for entry in sides))
    return f" ({' → '.join(texts)})"
