"""Opening up a directory that forbids changes, for the time of a restore.

An immutable flag, or a mode that keeps even the owner out: the old values go into the journal
first, and the directory gets its own back at the end, whoever ends it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from clew.model.entry import Entry
from clew.worktree.metadata import FORBIDDING
from clew.worktree.syscalls import get_inode_flags, set_inode_flags

Remember = Callable[[bytes, int, int], None]
"""Told the path, mode and flags of a directory before it is opened up."""


class Unlocker:
    """Opens up directories, each once."""

    def __init__(self, remember: Remember) -> None:
        self._remember = remember
        self._opened: set[bytes] = set()

    def as_opened(self, path: bytes, entry: Entry) -> Entry:
        """Return the entry of a directory as it looks if we have opened it up."""
        if path not in self._opened:
            return entry
        return entry._replace(mode=entry.mode | 0o700, flags=entry.flags & ~FORBIDDING)

    def unlock(self, path: bytes, descriptor: int) -> bool:
        """Open up a directory in which a change was refused; tell whether that may have helped."""
        if path in self._opened:
            return False
        found = os.fstat(descriptor)
        mode = stat.S_IMODE(found.st_mode)
        flags = get_inode_flags(descriptor) or 0
        is_shut = mode & 0o700 != 0o700 and found.st_uid == os.geteuid()
        if not flags & FORBIDDING and not is_shut:
            return False
        self._remember(path, mode, flags)
        self._opened.add(path)
        try:
            if flags & FORBIDDING:
                set_inode_flags(descriptor, flags & ~FORBIDDING)
            os.fchmod(descriptor, mode | 0o700)
        except OSError:
            return False
        return True
