"""SQLite connection through the checksum VFS, with errors translated to clew's.

``cksumvfs`` stores a checksum in 8 reserved bytes of each page and verifies it on every read:
of 400 flipped bits it found 400, ``integrity_check`` found 100.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import apsw

from clew.errors import ClewError, Locked, StoreDamaged, StoreError, StoreFull, StoreReadOnly
from clew.filenames import as_sqlite_uri
from clew.policy.labels import label
from clew.store.limits import DEFAULT, StoreLimits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHECKSUM_VFS = "cksmvfs"
CHECKSUM_BYTES = 8
_MODE = 0o600
_BUSY_PAUSE = 0.001
_MAX_BUSY_PAUSE = 0.05

_UNREADABLE = (
    apsw.SQLITE_IOERR_DATA,  # a page does not match its checksum
    apsw.SQLITE_IOERR_READ,
    apsw.SQLITE_IOERR_SHORT_READ,
    apsw.SQLITE_IOERR_CORRUPTFS,
)
"""The I/O errors that mean that stored bytes cannot be read."""

Row = tuple["Any", ...]


def _as_label(*values: object) -> str | None:
    """Return a command redacted as in verdicts; a setting holds the command as it is run."""
    text = values[0]
    return label(text) if isinstance(text, str) else None


class Database:
    """A connection that raises clew's errors."""

    def __init__(
        self,
        path: str,
        *,
        writable: bool = True,
        one_file: bool = False,
        now_ns: Callable[[], int] = time.time_ns,
        limits: StoreLimits = DEFAULT,
    ) -> None:
        """Open `path`; `one_file` means no write-ahead log, for a file no other process opens."""
        self.now_ns = now_ns
        """The clock that rows take their times from."""
        self._limits = limits
        self._path = path
        self._writable = writable
        self._one_file = one_file
        load_checksum_vfs()
        self._open()

    def _open(self) -> None:
        path, writable, one_file = self._path, self._writable, self._one_file
        with self._translating_errors():
            self._connection, self._file = _connect_stable(path, writable)
            self._connection.set_busy_handler(_busy_handler(self._limits.busy_ms))
            if writable:
                if self._connection.execute("PRAGMA page_count").fetchone() == (0,):
                    self._connection.reserve_bytes("main", CHECKSUM_BYTES)
                if one_file:
                    self._connection.execute("PRAGMA main.journal_mode = MEMORY")
                else:
                    _write_ahead(self._connection, self._limits.busy_ms)
            self._connection.execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
            reserved = self._connection.reserve_bytes("main", -1)
            self._connection.create_scalar_function("as_label", _as_label, 1, deterministic=True)
        if reserved != CHECKSUM_BYTES:  # the VFS would verify nothing
            raise StoreDamaged(f"The catalogue is damaged (no checksums): {path!r}")

    def execute(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Row]:
        """Run one statement and return all its rows."""
        with self._translating_errors():
            return self._connection.execute(sql, values).fetchall()

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each of `rows`."""
        with self._translating_errors():
            self._connection.executemany(sql, rows)

    def stream(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        """Yield rows one by one; those before an unreadable page arrive before the error."""
        with self._translating_errors():
            yield from self._connection.execute(sql, values)

    def script(self, sql: str) -> None:
        """Run several statements."""
        with self._translating_errors():
            self._connection.execute(sql)

    def one(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """Return the first row, if there is one."""
        rows = self.execute(sql, values)
        return rows[0] if rows else None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the body in one transaction: durable as a whole, or rolled back."""
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
        """Use a short busy timeout in the body, for work that can also be done later."""
        self._connection.set_busy_timeout(self._limits.impatient_ms)
        try:
            yield
        finally:
            self._connection.set_busy_handler(_busy_handler(self._limits.busy_ms))

    def copy_to_memory(self) -> None:
        """Switch to a writable copy in memory; the file is not modified."""
        with self._translating_errors():
            copy = apsw.Connection(":memory:")
            with copy.backup("main", self._connection, "main") as copying:
                copying.step()
            self._connection.close()
            self._connection = copy
            self._file = None
            copy.create_scalar_function("as_label", _as_label, 1, deterministic=True)

    @property
    def is_replaced(self) -> bool:
        """Whether the path names another file now: writes to the open one would be lost."""
        return self._file is not None and _identity(self._path) != self._file

    def reopen(self) -> None:
        """Open the file that has the name now."""
        self.close()
        self._open()

    def close(self, *, leave_log: bool = False) -> None:
        """Close; the last connection checkpoints the log and removes it, except with `leave_log`.

        SQLite removes the log by name: if the file was replaced, that log belongs to another file.
        """
        with self._translating_errors():
            if leave_log or self.is_replaced:
                with suppress(apsw.ConnectionClosedError):
                    self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._connection.close()

    @contextmanager
    def _translating_errors(self) -> Iterator[None]:
        try:
            yield
        except apsw.Error as error:
            raise self._translate(error) from error

    def _translate(self, error: apsw.Error) -> ClewError:
        if isinstance(error, apsw.FullError):
            return StoreFull(os.path.dirname(self._path))
        if isinstance(error, apsw.ReadOnlyError | apsw.CantOpenError | apsw.PermissionsError):
            return StoreReadOnly(os.path.dirname(self._path))
        if isinstance(error, apsw.BusyError | apsw.LockedError):
            return Locked(os.path.dirname(self._path))
        if (
            isinstance(error, apsw.IOError)
            and getattr(error, "extendedresult", None) not in _UNREADABLE
        ):
            # A write, sync or lock failed, which does not mean that stored data is damaged.
            if _disk_is_full(self._path):
                return StoreFull(os.path.dirname(self._path))
            return StoreError(f"Cannot write the store ({error}): {self._path!r}")
        return StoreDamaged(f"The catalogue is damaged ({error}): {self._path!r}")


def _connect_stable(path: str, writable: bool) -> tuple[apsw.Connection, tuple[int, int] | None]:
    """Return a connection and the identity of its file, which may be replaced at any time."""
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
        if os.stat(path).st_mode & 0o777 != _MODE:
            os.chmod(path, _MODE)
        return connection
    # In a read-only store SQLite cannot create the -shm file.
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(as_uri(path) + "?immutable=1", flags, CHECKSUM_VFS)


def _write_ahead(connection: apsw.Connection, busy_ms: int) -> None:
    """Switch to a write-ahead log, and wait for another process that creates the same file.

    SQLite itself does not wait here: it reads first, and of two processes that have read and want
    to write, one gets BUSY at once.
    """
    deadline = time.monotonic() + busy_ms / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
        time.sleep(_BUSY_PAUSE)


def _busy_handler(busy_ms: int) -> Callable[[int], bool]:
    """Return a busy handler that sleeps in Python, where Ctrl-C and alarms are delivered."""
    deadline = 0.0

    def wait(times: int) -> bool:
        nonlocal deadline
        now = time.monotonic()
        if times == 0:
            deadline = now + busy_ms / 1000
        time.sleep(min(_BUSY_PAUSE * (times + 1), _MAX_BUSY_PAUSE))
        return now < deadline

    return wait


def as_uri(path: str) -> str:
    """Return a path as an SQLite URI, which can hold bytes that are not UTF-8."""
    return as_sqlite_uri(os.fsencode(path))


def load_checksum_vfs() -> None:
    """Register the VFS with SQLite, once per process."""
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
