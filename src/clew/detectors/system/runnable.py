"""Whether something in a directory of scripts would be run."""

from __future__ import annotations

from clew.model.entry import Entry, EntryKind


def is_runnable(entry: Entry | None) -> bool:
    """Return whether it may be executed; of a link only its target could say, so it counts."""
    if entry is None:
        return False
    return entry.kind == EntryKind.SYMLINK or (entry.is_file and bool(entry.mode & 0o111))
