"""Files that may have changed while they were read, looked at once more before the scan ends.

In doubt is a file that somebody has open for writing, and one whose times are so young that the
next change may not move them.  It is read a second time, a little later; what differs is unstable.
A second look proves less than a lease: a write that stalls from the first to the second look is
seen only where the thread that waits in it can be seen.
"""

from __future__ import annotations

import os
import stat
import time

from clew.model import path as paths
from clew.model.named_tuple import NamedTuple
from clew.worktree.lease import OPEN
from clew.worktree.processes import being_written
from clew.worktree.read import RACY_NS, Again, EntryReader, ReadEntry, stat_key
from clew.worktree.root import Root

_LATELY_NS = 100_000_000


class _Doubt(NamedTuple):
    """A file that was read while somebody may have been writing to it."""

    due: int
    """When to look again, by the monotonic clock."""
    read: ReadEntry
    is_racy: bool
    """It had changed a moment before."""
    may_change: bool = False
    """What happens to it after the read says nothing about what was read."""


class Doubts:
    """The doubtful files of one walk, or of one process's share of it."""

    def __init__(
        self, root: Root, reader: EntryReader, started_ns: int, unstable: list[bytes]
    ) -> None:
        """What turns out to have changed is added to `unstable`."""
        self._root = root
        self._reader = reader
        self._unstable = unstable
        self._late_from = started_ns - _LATELY_NS
        self._waiting: dict[bytes, _Doubt] = {}
        """By path; the first is due first."""
        self._late: dict[bytes, os.stat_result] = {}
        self._held: dict[bytes, tuple[int, int]] = {}
        """Files that held still and are open for writing, by device and inode."""

    def add(self, path: bytes, read: ReadEntry, *, is_racy: bool) -> None:
        """Have a file read again, once its times can no longer hide a change."""
        self._waiting.pop(path, None)  # read anew: it is due later
        self._waiting[path] = _Doubt(time.monotonic_ns() + RACY_NS, read, is_racy)

    def is_late(self, found: os.stat_result) -> bool:
        """Tell whether something changed shortly before the scan began."""
        return found.st_ctime_ns >= self._late_from

    def add_late(self, path: bytes, found: os.stat_result) -> None:
        """Have the times of a file compared at the end: changed before and after, it is busy."""
        if stat.S_ISREG(found.st_mode):
            self._late[path] = found

    def accept(self, members: list[bytes]) -> None:
        """Take a SQLite unit for whole: it was read between equal stats, and may change afterwards."""
        # The index of a log is made anew from the log by whoever opens the database first.
        self._waiting.pop(members[0] + b"-shm", None)
        for path in members:
            self._late.pop(path, None)
            doubt = self._waiting.get(path)
            if doubt is not None:
                self._waiting[path] = doubt._replace(may_change=True)

    def look_at_due(self) -> None:
        """Look again at what has waited long enough; takes no time where nothing has."""
        while self._waiting:
            path, doubt = next(iter(self._waiting.items()))
            if doubt.due > time.monotonic_ns():
                return
            del self._waiting[path]
            if not _held_still(doubt, self._look_again(path, doubt)):
                self._unstable.append(path)
            elif doubt.read.writer == OPEN and not doubt.may_change:
                self._held[path] = (doubt.read.stat.st_dev, doubt.read.stat.st_ino)

    def settle(self) -> None:
        """Wait for the last of them, and leave nothing in doubt."""
        while self._waiting:
            first = next(iter(self._waiting.values()))
            time.sleep(max(0, first.due - time.monotonic_ns()) / 1e9)
            self.look_at_due()
        for path, before in self._late.items():
            now = self._stat(path)
            if (
                now is not None
                and now.st_ino == before.st_ino
                and stat_key(now) != stat_key(before)
            ):
                self._unstable.append(path)
        self._late.clear()
        if self._held:
            written = being_written()
            self._unstable += [path for path, file in self._held.items() if file in written]
            self._held.clear()

    def _look_again(self, path: bytes, doubt: _Doubt) -> Again:
        try:
            directory = self._root.open_directory(paths.parent_of(path))
        except OSError:
            return Again(there=False)
        try:
            return self._reader.look_again(directory, paths.name_of(path), doubt.read)
        finally:
            os.close(directory)

    def _stat(self, path: bytes) -> os.stat_result | None:
        try:
            directory = self._root.open_directory(paths.parent_of(path))
        except OSError:
            return None
        try:
            return os.stat(paths.name_of(path), dir_fd=directory, follow_symlinks=False)
        except OSError:
            return None
        finally:
            os.close(directory)


def _held_still(doubt: _Doubt, again: Again) -> bool:
    """Tell whether what was read of a file can be taken for what was there."""
    if not again.there:  # replaced or deleted as a whole, which leaves what was read as it was
        return doubt.may_change or doubt.read.writer != OPEN
    if again.same_key:
        return again.same_bytes
    if doubt.may_change:
        return True
    # Changed, read, changed again: busy.  One that only grew, as logs do, was read as it was.
    return again.same_bytes and not doubt.is_racy
