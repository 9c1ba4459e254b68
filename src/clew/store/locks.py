"""Locks that die with their process; see docs/format.md, 6."""

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
        """`locked` is called whenever a lock was taken: what it protects may have been replaced."""
        self._directory = directory
        self._locked = locked

    @contextmanager
    def shared(self, monitor: Monitor) -> Iterator[None]:
        """Held by every operation: no gc may drop what it relies on."""
        with self._flock("store", fcntl.LOCK_SH, "the store", monitor):
            yield

    @contextmanager
    def exclusive(self, monitor: Monitor) -> Iterator[None]:
        """Held by gc for one transaction: nobody else is at work."""
        with self._flock("store", fcntl.LOCK_EX, "the store", monitor):
            yield

    @contextmanager
    def workspace(self, uuid: bytes, monitor: Monitor) -> Iterator[None]:
        """Held by what captures or changes one workspace."""
        with self._flock(uuid.hex(), fcntl.LOCK_EX, "this workspace", monitor):
            yield

    @contextmanager
    def collecting(self, monitor: Monitor) -> Iterator[None]:
        """Held by gc from start to end: one collector at a time."""
        with self._flock("gc", fcntl.LOCK_EX, "the store's gc", monitor):
            yield

    @contextmanager
    def purging(self, monitor: Monitor) -> Iterator[None]:
        """Held by a purge from its deletion to its end: nobody takes it for one that was cut short."""
        with self._flock("purge", fcntl.LOCK_EX, "another purge", monitor):
            yield

    @contextmanager
    def purging_if_free(self) -> Iterator[bool]:
        """Hold the same, unless a purge is at work; tell whether it is held."""
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

    @contextmanager
    def ledger(self, key: bytes) -> Iterator[None]:
        """Held by what walks back along a ledger: one at a time, so that each takes its own step."""
        name = f"ledger-{key.hex()[:32]}"
        with self._flock(name, fcntl.LOCK_EX, "another undo", Monitor()):
            yield

    @contextmanager
    def shared_at_once(self) -> Iterator[bool]:
        """Take the store's lock, shared, if that needs no waiting; tell whether."""
        try:
            descriptor = self._open("store", fcntl.LOCK_SH)
        except OSError:
            yield False  # the store is gone
            return
        try:
            yield _flock_at_once(descriptor)
        finally:
            os.close(descriptor)

    @contextmanager
    def _flock(self, name: str, how: int, what: str, monitor: Monitor) -> Iterator[None]:
        descriptor = self._open(name, how)
        try:
            try:
                fcntl.flock(descriptor, how | fcntl.LOCK_NB)
            except BlockingIOError:
                monitor.waiting(what)
                fcntl.flock(descriptor, how)
            self._locked()
            yield
        finally:
            os.close(descriptor)

    def _open(self, name: str, how: int) -> int:
        path = os.path.join(self._directory, name)
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if how == fcntl.LOCK_SH:  # a store that cannot be written is never collected either
                return os.open(self._directory, os.O_RDONLY | os.O_CLOEXEC)
            raise StoreReadOnly(os.path.dirname(self._directory)) from error


def _flock_at_once(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
