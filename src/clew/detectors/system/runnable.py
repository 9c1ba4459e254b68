"""Executable check for directories of scripts."""

from __future__ import annotations

from clew.model.entry import Entry, EntryKind


def is_runnable(entry: Entry | None) -> bool:
    """Return whether an entry can be executed; a link counts, because its target may be."""
    if entry is None:
        return False
    return entry.kind == EntryKind.SYMLINK or (entry.is_file and bool(entry.mode & 0o111))
