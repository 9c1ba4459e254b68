"""Recheck queue: files that may have changed during their read are read again before the scan ends.

A file is queued if a process has it open for writing, or if its times are so young that the next
change may not alter them.  It is read a second time, a little later; if it differs it is unstable.
A second read proves less than a lease: a write that stalls from the first to the second read is
detected only if the thread blocked in it is visible in ``/proc``.
"""

from __future__ import annotations

import os
import stat
import time

from clew.model import path as paths
from clew.model.named_tuple import NamedTuple
from clew.worktree.lease import OPEN
from clew.worktree.processes import being_written
from clew.worktree.read import RACY_NS, EntryReader, ReadEntry, SecondRead, stat_key
from clew.worktree.root import Root

_RECENT_NS = 100_000_000


class _Recheck(NamedTuple):
    """A file that may have been written to during its read."""

    due: int
    """When to read it again, by the monotonic clock."""
    read: ReadEntry
    is_racy: bool
    """It had changed just before the read."""
    may_change: bool = False
    """Changes after the read do not affect the validity of what was read."""


class RecheckQueue:
    """The files of one walk, or of one process's share of it, that must be read again."""

    def __init__(
        self, root: Root, reader: EntryReader, started_ns: int, unstable: list[bytes]
    ) -> None:
        """Paths found to have changed are appended to `unstable`."""
        self._root = root
        self._reader = reader
        self._unstable = unstable
        self._recent_from = started_ns - _RECENT_NS
        self._waiting: dict[bytes, _Recheck] = {}
        """By path, in the order in which they are due."""
        self._recent: dict[bytes, os.stat_result] = {}
        self._still_open: dict[bytes, tuple[int, int]] = {}
        """Device and inode of unchanged files that are open for writing, by path."""

    def add(self, path: bytes, read: ReadEntry, *, is_racy: bool) -> None:
        """Queue a file to be read again once its times can no longer hide a change."""
        self._waiting.pop(path, None)  # it was read again: move it to the end of the queue
        self._waiting[path] = _Recheck(time.monotonic_ns() + RACY_NS, read, is_racy)

    def is_recent(self, found: os.stat_result) -> bool:
        """Return whether a file changed shortly before the scan began."""
        return found.st_ctime_ns >= self._recent_from

    def add_recent(self, path: bytes, found: os.stat_result) -> None:
        """Compare the times of a file at the end of the scan: a second change means it is busy."""
        if stat.S_ISREG(found.st_mode):
            self._recent[path] = found

    def accept(self, members: list[bytes]) -> None:
        """Accept a SQLite unit: it was read between equal stats, so later changes do not matter."""
        # SQLite rebuilds the index of the write-ahead log (-shm) when the database is opened.
        self._waiting.pop(members[0] + b"-shm", None)
        for path in members:
            self._recent.pop(path, None)
            item = self._waiting.get(path)
            if item is not None:
                self._waiting[path] = item._replace(may_change=True)

    def recheck_due(self) -> None:
        """Read the due files again; costs nothing if none is due."""
        while self._waiting:
            path, item = next(iter(self._waiting.items()))
            if item.due > time.monotonic_ns():
                return
            del self._waiting[path]
            if not _is_consistent(item, self._read_again(path, item)):
                self._unstable.append(path)
            elif item.read.writer == OPEN and not item.may_change:
                self._still_open[path] = (item.read.stat.st_dev, item.read.stat.st_ino)

    def settle(self) -> None:
        """Wait for the remaining files and recheck them all."""
        while self._waiting:
            first = next(iter(self._waiting.values()))
            time.sleep(max(0, first.due - time.monotonic_ns()) / 1e9)
            self.recheck_due()
        for path, before in self._recent.items():
            now = self._stat(path)
            if (
                now is not None
                and now.st_ino == before.st_ino
                and stat_key(now) != stat_key(before)
            ):
                self._unstable.append(path)
        self._recent.clear()
        if self._still_open:
            written = being_written()
            self._unstable += [path for path, file in self._still_open.items() if file in written]
            self._still_open.clear()

    def _read_again(self, path: bytes, item: _Recheck) -> SecondRead:
        try:
            directory = self._root.open_directory(paths.parent_of(path))
        except OSError:
            return SecondRead(there=False)
        try:
            return self._reader.read_again(directory, paths.name_of(path), item.read)
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


def _is_consistent(item: _Recheck, again: SecondRead) -> bool:
    """Return whether the first read of a file is a consistent state of it."""
    if not again.there:  # replaced or deleted as a whole, which does not affect what was read
        return item.may_change or item.read.writer != OPEN
    if again.same_key:
        return again.same_bytes
    if item.may_change:
        return True
    # Changed, read, changed again: busy.  A file that was only appended to was read consistently.
    return again.same_bytes and not item.is_racy
