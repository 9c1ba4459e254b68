"""Words for paths that no detector claimed."""

from __future__ import annotations

from clew.model.amount import counted
from clew.story.census import LARGE
from clew.story.rollup import PathGroup


def describe(group: PathGroup) -> str:
    """Return the words for rolled-up paths."""
    name = group.directory or "."
    if group.is_single:
        word = "added" if group.added else "deleted" if group.deleted else "changed"
        return f"{name} {word}"
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
