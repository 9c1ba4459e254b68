"""One SQLite file, always through the checksumming VFS, its errors told in our words.

``cksumvfs`` keeps a checksum in 8 reserved bytes of each page and proves it on every read:
of 400 flipped bits it found 400, where ``integrity_check`` found 100.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import apsw

from clew.errors import Busy, ClewError, StoreDamaged, StoreError, StoreFull, StoreReadOnly
from clew.filenames import as_sqlite_uri
from clew.policy.labels import label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHECKSUM_VFS = "cksmvfs"
CHECKSUM_BYTES = 8
_BUSY_MS = 60_000
_BUSY_PAUSE = 0.001
_LONGEST_PAUSE = 0.05
_IMPATIENT_MS = 100

_UNREADABLE = (
    apsw.SQLITE_IOERR_DATA,  # a page does not match its checksum
    apsw.SQLITE_IOERR_READ,
    apsw.SQLITE_IOERR_SHORT_READ,
    apsw.SQLITE_IOERR_CORRUPTFS,
)
"""The I/O errors that mean that stored bytes cannot be had."""

Row = tuple["Any", ...]


def _as_label(*values: object) -> str | None:
    """Return a command as verdicts name it: a setting keeps it as it is run."""
    text = values[0]
    return label(text) if isinstance(text, str) else None


class Database:
    """A connection whose failures are clew's errors."""

    def __init__(self, path: str, *, writable: bool = True, one_file: bool = False) -> None:
        """`one_file` is for a file that nobody else opens: it has no write-ahead log beside it."""
        self._path = path
        self._writable = writable
        self._one_file = one_file
        load_checksum_vfs()
        self._open()

    def _open(self) -> None:
        path, writable, one_file = self._path, self._writable, self._one_file
        with self._translated():
            self._connection, self._file = _connect_to_one(path, writable)
            self._connection.set_busy_handler(_wait_for_others())
            if writable:
                if self._connection.execute("PRAGMA page_count").fetchone() == (0,):
                    self._connection.reserve_bytes("main", CHECKSUM_BYTES)
                if one_file:
                    self._connection.execute("PRAGMA main.journal_mode = MEMORY")
                else:
                    _write_ahead(self._connection)
            self._connection.execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
            reserved = self._connection.reserve_bytes("main", -1)
            self._connection.create_scalar_function("as_label", _as_label, 1, deterministic=True)
        if reserved != CHECKSUM_BYTES:  # nothing would be proved
            raise StoreDamaged(f"The catalogue is damaged (no checksums): {path!r}")

    def execute(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Row]:
        """Run one statement and return all its rows."""
        with self._translated():
            return self._connection.execute(sql, values).fetchall()

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each of `rows`."""
        with self._translated():
            self._connection.executemany(sql, rows)

    def stream(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        """Yield rows one by one; those before an unreadable page arrive before the error."""
        with self._translated():
            yield from self._connection.execute(sql, values)

    def script(self, sql: str) -> None:
        """Run several statements."""
        with self._translated():
            self._connection.execute(sql)

    def one(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """Return the first row, if there is one."""
        rows = self.execute(sql, values)
        return rows[0] if rows else None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all of the body durably, or none of it."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def impatient(self) -> Iterator[None]:
        """Wait for others only a moment in the body: what it does can also be done later."""
        self._connection.set_busy_timeout(_IMPATIENT_MS)
        try:
            yield
        finally:
            self._connection.set_busy_handler(_wait_for_others())

    def copy_to_memory(self) -> None:
        """Go on with a copy that can be changed and is gone with us; the file stays as it is."""
        with self._translated():
            copy = apsw.Connection(":memory:")
            with copy.backup("main", self._connection, "main") as copying:
                copying.step()
            self._connection.close()
            self._connection = copy
            self._file = None
            copy.create_scalar_function("as_label", _as_label, 1, deterministic=True)

    @property
    def is_replaced(self) -> bool:
        """Tell whether another file has the name by now: nobody would find what we write."""
        return self._file is not None and _identity(self._path) != self._file

    def reopen(self) -> None:
        """Go on with the file that has the name now."""
        self.close()
        self._open()

    def close(self, *, leave_log: bool = False) -> None:
        """Close; the last one writes the log into the file and removes it, unless it is to be left.

        SQLite removes the log by its name.  If the file was replaced, that is another one's log.
        """
        with self._translated():
            if leave_log or self.is_replaced:
                with suppress(apsw.ConnectionClosedError):
                    self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._connection.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except apsw.Error as error:
            raise self._explained(error) from error

    def _explained(self, error: apsw.Error) -> ClewError:
        if isinstance(error, apsw.FullError):
            return StoreFull(os.path.dirname(self._path))
        if isinstance(error, apsw.ReadOnlyError | apsw.CantOpenError | apsw.PermissionsError):
            return StoreReadOnly(os.path.dirname(self._path))
        if isinstance(error, apsw.BusyError | apsw.LockedError):
            return Busy("the store")
        if (
            isinstance(error, apsw.IOError)
            and getattr(error, "extendedresult", None) not in _UNREADABLE
        ):
            # A write, a sync or a lock failed: that says nothing about what is stored.
            if _disk_is_full(self._path):
                return StoreFull(os.path.dirname(self._path))
            return StoreError(f"Cannot write the store ({error}): {self._path!r}")
        return StoreDamaged(f"The catalogue is damaged ({error}): {self._path!r}")


def _connect_to_one(path: str, writable: bool) -> tuple[apsw.Connection, tuple[int, int] | None]:
    """Return a connection, and which file it is to: it may be replaced at any moment."""
    while True:
        before = _identity(path)
        connection = _connect(path, writable)
        after = _identity(path)
        if before in (None, after):
            return connection, after
        connection.close()


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _connect(path: str, writable: bool) -> apsw.Connection:
    if writable:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
        connection = apsw.Connection(as_uri(path), flags, CHECKSUM_VFS)
        os.chmod(path, 0o600)
        return connection
    # A store that cannot be written has no room for the -shm file either.
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(as_uri(path) + "?immutable=1", flags, CHECKSUM_VFS)


def _write_ahead(connection: apsw.Connection) -> None:
    """Use a write-ahead log; whoever makes the same file at the same moment is waited for.

    SQLite does not wait here by itself: it reads first, and of two who have read and would write
    one is told at once that the file is busy.
    """
    deadline = time.monotonic() + _BUSY_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
        time.sleep(_BUSY_PAUSE)


def _wait_for_others() -> Callable[[int], bool]:
    """Return what waits while the file is busy: in Python, where Ctrl-C and an alarm are heard."""
    deadline = 0.0

    def wait(times: int) -> bool:
        nonlocal deadline
        now = time.monotonic()
        if times == 0:
            deadline = now + _BUSY_MS / 1000
        time.sleep(min(_BUSY_PAUSE * (times + 1), _LONGEST_PAUSE))
        return now < deadline

    return wait


def as_uri(path: str) -> str:
    """Return a path as SQLite's kind of URI, which can spell bytes that are no text."""
    return as_sqlite_uri(os.fsencode(path))


def load_checksum_vfs() -> None:
    """Make the VFS known to SQLite, once a process."""
    if CHECKSUM_VFS in apsw.vfs_names():
        return
    extension = os.path.join(os.path.dirname(apsw.__file__), "sqlite_extra_binaries", "cksumvfs.so")
    loader = apsw.Connection(":memory:")
    loader.enable_load_extension(True)
    loader.load_extension(extension)
    loader.close()


def _disk_is_full(path: str) -> bool:
    space = os.statvfs(os.path.dirname(path))
    return space.f_bavail * space.f_frsize < 1 << 20
