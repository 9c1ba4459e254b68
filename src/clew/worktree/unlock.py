"""Unlocker: makes a directory that forbids changes writable for the duration of a restore.

The cause is an immutable flag, or a mode that excludes even the owner.  The old values are written
to the journal first, and reapplied at the end, also by the process that resumes the restore.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from clew.model.entry import Entry
from clew.worktree.metadata import BLOCKING_FLAGS
from clew.worktree.syscalls import get_inode_flags, set_inode_flags

Remember = Callable[[bytes, int, int], None]
"""Called with the path, mode and flags of a directory before it is unlocked."""


class Unlocker:
    """Unlocks directories, each once."""

    def __init__(self, remember: Remember) -> None:
        self._record = remember
        self._unlocked: set[bytes] = set()

    def as_unlocked(self, path: bytes, entry: Entry) -> Entry:
        """Return the entry of a directory as it is now, if this unlocker has unlocked it."""
        if path not in self._unlocked:
            return entry
        return entry._replace(mode=entry.mode | 0o700, flags=entry.flags & ~BLOCKING_FLAGS)

    def unlock(self, path: bytes, descriptor: int) -> bool:
        """Unlock a directory in which a change was refused; return whether a retry makes sense."""
        if path in self._unlocked:
            return False
        found = os.fstat(descriptor)
        mode = stat.S_IMODE(found.st_mode)
        flags = get_inode_flags(descriptor) or 0
        is_shut = mode & 0o700 != 0o700 and found.st_uid == os.geteuid()
        if not flags & BLOCKING_FLAGS and not is_shut:
            return False
        self._record(path, mode, flags)
        self._unlocked.add(path)
        try:
            if flags & BLOCKING_FLAGS:
                set_inode_flags(descriptor, flags & ~BLOCKING_FLAGS)
            os.fchmod(descriptor, mode | 0o700)
        except OSError:
            return False
        return True
