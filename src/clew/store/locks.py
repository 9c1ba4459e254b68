"""File locks (flock), released when their process exits; see docs/format.md, 6."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from clew.errors import StoreReadOnly
from clew.monitor import Monitor


class Locks:
    """The lock files of one store."""

    def __init__(self, directory: str, locked: Callable[[], None] = lambda: None) -> None:
        """`locked` is called after a lock is acquired: the files it protects may have been replaced."""
        self._directory = directory
        self._locked = locked

    @contextmanager
    def shared(self, monitor: Monitor) -> Iterator[None]:
        """Hold the store's shared lock, as every operation does: gc cannot remove what it uses."""
        with self._flock("store", fcntl.LOCK_SH, "the store", monitor):
            yield

    @contextmanager
    def exclusive(self, monitor: Monitor) -> Iterator[None]:
        """Hold the store's exclusive lock, as gc does for one transaction: no other operation runs."""
        with self._flock("store", fcntl.LOCK_EX, "the store", monitor):
            yield

    @contextmanager
    def workspace(self, uuid: bytes, monitor: Monitor) -> Iterator[None]:
        """Hold the lock of operations that capture or change one workspace."""
        with self._flock(uuid.hex(), fcntl.LOCK_EX, "this workspace", monitor):
            yield

    @contextmanager
    def collecting(self, monitor: Monitor) -> Iterator[None]:
        """Hold the lock of gc from start to end: one collector at a time."""
        with self._flock("gc", fcntl.LOCK_EX, "the store's gc", monitor):
            yield

    @contextmanager
    def purging(self, monitor: Monitor) -> Iterator[None]:
        """Hold the lock of a purge from start to end, so that it is not taken for an interrupted one."""
        with self._flock("purge", fcntl.LOCK_EX, "another purge", monitor):
            yield

    @contextmanager
    def purging_if_free(self) -> Iterator[bool]:
        """Try to hold the purge lock without waiting; yield whether it is held."""
        descriptor = self._open("purge", fcntl.LOCK_EX)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(descriptor)

    def try_stories(self, uuid: bytes) -> int | None:
        """Return an open file that holds the lock of the process that derives a workspace's stories.

        None if another process holds it.  A process that has the file open holds the lock: it can be passed
        on to another process.
        """
        return self._try(f"stories-{uuid.hex()}")

    def try_drill(self, uuid: bytes) -> int | None:
        """Return the same for the process that drills restores of a workspace."""
        return self._try(f"drill-{uuid.hex()}")

    def last_drill_ns(self, uuid: bytes) -> int:
        """Return when the last such process started; 0 if none did."""
        try:
            found = os.stat(os.path.join(self._directory, f"drill-{uuid.hex()}"))
        except OSError:
            return 0
        return found.st_mtime_ns if found.st_size else 0

    def _try(self, name: str) -> int | None:
        descriptor = self._open(name, fcntl.LOCK_EX)
        if try_lock(descriptor):
            return descriptor
        os.close(descriptor)
        return None

    @contextmanager
    def ledger(self, key: bytes) -> Iterator[None]:
        """Hold the lock of an undo along a ledger: one at a time, so that each takes its own step."""
        name = f"ledger-{key.hex()[:32]}"
        with self._flock(name, fcntl.LOCK_EX, "another undo", Monitor()):
            yield

    @contextmanager
    def try_shared(self) -> Iterator[bool]:
        """Try to hold the store's shared lock without waiting; yield whether it is held."""
        try:
            descriptor = self._open("store", fcntl.LOCK_SH)
        except OSError:
            yield False  # the store was removed
            return
        try:
            yield try_lock(descriptor, fcntl.LOCK_SH)
        finally:
            os.close(descriptor)

    @contextmanager
    def _flock(self, name: str, mode: int, what: str, monitor: Monitor) -> Iterator[None]:
        descriptor = self._open(name, mode)
        try:
            try:
                fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
            except BlockingIOError:
                monitor.waiting(what)
                fcntl.flock(descriptor, mode)
            self._locked()
            yield
        finally:
            os.close(descriptor)

    def _open(self, name: str, mode: int) -> int:
        path = os.path.join(self._directory, name)
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if mode == fcntl.LOCK_SH:  # gc never runs on a read-only store
                return os.open(self._directory, os.O_RDONLY | os.O_CLOEXEC)
            raise StoreReadOnly(os.path.dirname(self._directory)) from error


def try_lock(descriptor: int, mode: int = fcntl.LOCK_EX) -> bool:
    """Lock an open lock file without waiting; return whether that succeeded."""
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def unlock(descriptor: int) -> None:
    """Release the lock of an open lock file."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)
