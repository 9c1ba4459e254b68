"""SQLite on a snapshot: it reads pages of a tree, and what it writes stays in memory.

The content of a database is in its file and its journals: rows that are still in `-wal`, pages that
a hot `-journal` rolls back.
SQLite itself opens them through these files, and recovers them as it would on a disk; nothing is
copied, so a large database costs only the pages that are read, and no file of the machine can be
opened, whatever name a journal contains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import TYPE_CHECKING

import apsw

from clew.model.content_reader import BytesReader

if TYPE_CHECKING:
    from clew.detectors.detector import ContentReader

MAIN = "main"
WAL = f"{MAIN}-wal"
JOURNAL = f"{MAIN}-journal"

_BLOCK = 4096
_WRITTEN = 64 << 20
"""The largest rollback that is played back."""
_STEPS = 20_000
"""Instructions of SQLite's virtual machine between two looks at the time."""
_names = count()


class SnapshotFile:
    """A file of a snapshot, and what was written to it since."""

    def __init__(self, reader: ContentReader, check: Callable[[], None]) -> None:
        """`check` is called before each read, and may raise an exception."""
        self.reader = reader
        self._check = check
        self._size = self._original = reader.size
        self._blocks: dict[int, bytes] = {}

    @property
    def is_written(self) -> bool:
        return bool(self._blocks) or self._size != self.reader.size

    @property
    def size(self) -> int:
        return self._size

    def read(self, at: int, length: int) -> bytes:
        """Return bytes from an offset, fewer at the end."""
        self._check()
        if not self.is_written:
            return self.reader.read(at, length)
        end = min(at + length, self._size)
        first = at // _BLOCK
        whole = b"".join(self._block(number) for number in range(first, -(-end // _BLOCK)))
        return whole[at - first * _BLOCK : max(end - first * _BLOCK, 0)]

    def _block(self, number: int) -> bytes:
        found = self._blocks.get(number)
        if found is None:
            at = number * _BLOCK
            found = self.reader.read(at, max(min(_BLOCK, self._original - at), 0))
            found += bytes(_BLOCK - len(found))
        return found

    # what SQLite calls

    def xRead(self, length: int, at: int) -> bytes:
        return self.read(at, length)

    def xWrite(self, content: bytes, at: int) -> None:
        if _BLOCK * len(self._blocks) > _WRITTEN:
            raise apsw.FullError("too much to roll back")
        self._size = max(self._size, at + len(content))
        for number in range(at // _BLOCK, -(-(at + len(content)) // _BLOCK)):
            start = number * _BLOCK
            old = self._block(number)
            begin, end = max(at, start), min(at + len(content), start + _BLOCK)
            self._blocks[number] = (
                old[: begin - start] + content[begin - at : end - at] + old[end - start :]
            )

    def xTruncate(self, size: int) -> None:
        self._size = size
        self._original = min(self._original, size)
        last = size // _BLOCK
        self._blocks = {
            number: block if number < last else block[: size % _BLOCK].ljust(_BLOCK, b"\0")
            for number, block in self._blocks.items()
            if number * _BLOCK < size
        }

    def xFileSize(self) -> int:
        return self._size

    def xCheckReservedLock(self) -> bool:
        return False

    def xFileControl(self, _operation: int, _pointer: int) -> bool:
        return False

    def xSectorSize(self) -> int:
        return _BLOCK

    def xDeviceCharacteristics(self) -> int:
        return 0

    def _nothing(self, *_: object) -> None:
        """Locks, syncs and closing have no effect."""

    xLock = xUnlock = xSync = xClose = _nothing


class SnapshotVfs(apsw.VFS):
    """The files of one database; there are no others."""

    def __init__(self, files: Mapping[str, SnapshotFile]) -> None:
        self.files = dict(files)
        self.name = f"clew-snapshot-{next(_names)}"
        super().__init__(self.name, base=None)

    def xOpen(self, name: object, _flags: list[int]) -> SnapshotFile:  # type: ignore[override]
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path in (WAL, JOURNAL):  # SQLite creates them, and leaves them empty
            return self.files.setdefault(str(path), SnapshotFile(BytesReader(b""), _never))
        found = self.files.get(str(path))
        if found is None:
            raise apsw.CantOpenError("there is no such file")
        return found

    def xAccess(self, path: str, _flags: int) -> bool:
        return path in self.files

    def xDelete(self, path: str, _sync: bool) -> None:
        self.files.pop(path, None)

    def xFullPathname(self, path: str) -> str:
        return path

    def xRandomness(self, number: int) -> bytes:
        return bytes(number)

    def xSleep(self, microseconds: int) -> int:
        return microseconds

    def xCurrentTime(self) -> float:
        return 2440587.5

    def xCurrentTimeInt64(self) -> int:
        return 210866760000000

    def xGetLastError(self) -> tuple[int, str]:
        return 0, ""


def _never() -> None:
    """Check nothing."""


def connect(vfs: SnapshotVfs, is_late: Callable[[], bool]) -> apsw.Connection:
    """Open the database; functions, views and triggers of its schema are not trusted.

    `is_late` is called now and then; it may end what SQLite does, or raise an exception.
    """
    connection = apsw.Connection(MAIN, flags=apsw.SQLITE_OPEN_READWRITE, vfs=vfs.name)
    try:
        connection.set_progress_handler(is_late, _STEPS)
        _secure(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _secure(connection: apsw.Connection) -> None:
    for setting, value in (
        (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
        (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
        (apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),
    ):
        connection.config(setting, value)
    for limit, number in (
        (apsw.SQLITE_LIMIT_LENGTH, 32 << 20),
        (apsw.SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
        (apsw.SQLITE_LIMIT_ATTACHED, 0),
        (apsw.SQLITE_LIMIT_EXPR_DEPTH, 100),
        (apsw.SQLITE_LIMIT_VDBE_OP, 100_000),
    ):
        connection.limit(limit, number)
    for pragma, chosen in (
        ("locking_mode", "EXCLUSIVE"),  # keeps the WAL index in memory
        ("synchronous", "OFF"),
        ("temp_store", "MEMORY"),
        ("cell_size_check", "ON"),
        ("mmap_size", 0),
    ):
        connection.pragma(pragma, chosen)
