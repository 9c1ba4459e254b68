"""Worktree cache: results of the last scan, so that the next one reads only what changed.

One row per directory, keyed by inode: a hash over names and stat keys, and the resulting tree.
The stat keys themselves are in a second table, loaded only if the hash differs.
Because the key is the inode, a directory that was moved is still found.

The cache can be lost at any time at the cost of one full scan.  It is discarded whenever it may not
apply: another store, another generation, other rules, another boot, a wrong checksum in a row.
A cache that does not apply is replaced by the next update: opening one writes nothing.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterable
from zlib import crc32

import apsw

from clew.filenames import as_sqlite_uri
from clew.model.ids import ObjectId, StateId
from clew.model.named_tuple import NamedTuple
from clew.worktree.read import StatKey

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_VERSION = 2
"""Version 1 had names as text, and some of its keys were taken during a write."""

_OPEN = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI

ScanRow = tuple[bytes, int, int, int, int]
"""Name and stat key (ctime, inode, size, mtime) of one entry."""


class CachedDirectory(NamedTuple):
    """The last scan's result for a directory."""

    key: bytes
    """Hash over names and stat keys; empty if some entry must be read again."""
    tree: ObjectId
    state: StateId


class DirectoryUpdate(NamedTuple):
    """A directory whose cached row changes with this scan."""

    number: int
    directory: CachedDirectory
    rows: list[ScanRow]
    untrusted: set[bytes]


def directory_number(device: int, inode: int) -> int:
    """Return the key of a directory: device and inode folded into a signed 64-bit number."""
    folded = (inode ^ (device * 0x9E3779B97F4A7C15)) & 0xFFFFFFFFFFFFFFFF
    return folded - (1 << 64) if folded >> 63 else folded


class WorktreeCache:
    """The cache file of one workspace; a missing or damaged file is an empty cache."""

    def __init__(self, path: str, owner: str) -> None:
        """`owner` identifies store, generation, rules and boot; a cache of another owner is empty."""
        self._path = path
        self._owner = owner
        self._connection: apsw.Connection | None = None
        self._inherited: apsw.Connection | None = None
        self._shift = 0
        self._is_stale = False
        """The file must be replaced, not updated."""
        self.directories: dict[int, CachedDirectory] = {}
        try:
            self._is_stale = not self._load()
        except (apsw.Error, ValueError, TypeError, OSError):
            self._is_stale = True
        if self._is_stale:
            self.directories = {}

    def keys(self, number: int) -> dict[bytes, StatKey]:
        """Return the trusted stat keys of one directory by name."""
        seen, untrusted = self.seen(number)
        return {name: key for name, key in seen.items() if name not in untrusted}

    def seen(self, number: int) -> tuple[dict[bytes, StatKey], set[bytes]]:
        """Return all stat keys of one directory by name, and the names with an untrusted key."""
        found = self._rows(number)
        if found is None:
            return {}, set()
        rows, untrusted = found
        return {row[0]: row[1:] for row in rows}, untrusted

    def shown_on(self, device: int, was: int) -> None:
        """Map the cached inodes to the device under which another filesystem, an overlay, shows them.

        After that the cache is read-only.
        """
        self._shift = directory_number(device, 0) ^ directory_number(was, 0)
        self.directories = {
            number ^ self._shift: found for number, found in self.directories.items()
        }

    def update(self, changed: Iterable[DirectoryUpdate], gone: Iterable[int]) -> None:
        """Store the results of a committed scan; on failure discard the cache."""
        if self._shift:
            return
        try:
            self._write(list(changed), list(gone))
        except (apsw.Error, OSError, ValueError):  # ValueError: a path that is not text
            self._discard()

    def forget(self) -> None:
        """Discard all cached results and delete the file."""
        self._discard()

    def after_fork(self) -> WorktreeCache:
        """Return the cache for a forked process: a SQLite connection must not be used across fork."""
        self._inherited = self._connection  # referenced: the child must not close it either
        self._connection = None
        return self

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _load(self) -> bool:
        """Read the file; return whether it applies."""
        if not os.path.exists(self._path):
            return True
        connection = self._connect()
        about: Any = connection.execute("SELECT key, value FROM about").fetchall()
        if dict(about) != {"version": str(_VERSION), "owner": self._owner}:
            return False
        directories = self.directories
        for number, key, tree, state, check in connection.execute("SELECT * FROM directories"):
            if crc32(key + tree + state) ^ (number & 0xFFFFFFFF) != check:
                raise ValueError("a row is damaged")
            directories[number] = CachedDirectory(key, tree, state)
        return True

    def _connect(self) -> apsw.Connection:
        if self._connection is None:
            self._connection = apsw.Connection(
                as_sqlite_uri(os.fsencode(self._path)), _OPEN, "unix"
            )
            self._connection.set_busy_timeout(5000)
            self._connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        return self._connection

    def _rows(self, number: int) -> tuple[list[ScanRow], set[bytes]] | None:
        if number not in self.directories:
            return None
        try:
            found: Any = (
                self._connect()
                .execute(
                    "SELECT content, checksum FROM stat_keys WHERE number = ?",
                    (number ^ self._shift,),
                )
                .fetchone()
            )
            if found is None or crc32(found[0]) != found[1]:
                return None
            rows, untrusted = marshal.loads(found[0])  # noqa: S302 - our own file, checksummed
        except (apsw.Error, ValueError, EOFError, TypeError):
            return None
        return rows, set(untrusted)

    def _write(self, changed: list[DirectoryUpdate], gone: list[int]) -> None:
        if not changed and not gone:
            return
        if self._is_stale:
            self._discard()
        if not os.path.exists(self._path):
            self._create()
        connection = self._connect()
        with connection:
            connection.executemany("DELETE FROM directories WHERE number = ?", [(n,) for n in gone])
            connection.executemany("DELETE FROM stat_keys WHERE number = ?", [(n,) for n in gone])
            connection.executemany(
                "INSERT OR REPLACE INTO directories VALUES (?, ?, ?, ?, ?)",
                [
                    (
                        item.number,
                        *item.directory,
                        crc32(b"".join(item.directory)) ^ (item.number & 0xFFFFFFFF),
                    )
                    for item in changed
                ],
            )
            connection.executemany(
                "INSERT OR REPLACE INTO stat_keys VALUES (?, ?, ?)", map(_key_row, changed)
            )
        for item in changed:
            self.directories[item.number] = item.directory
        for number in gone:
            self.directories.pop(number, None)

    def _create(self) -> None:
        self.close()
        descriptor = os.open(self._path, os.O_CREAT | os.O_WRONLY, 0o600)
        os.close(descriptor)
        connection = self._connect()
        connection.execute(
            "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT);"
            "CREATE TABLE directories (number INTEGER PRIMARY KEY, key BLOB, tree BLOB, state BLOB,"
            " checksum INTEGER);"
            "CREATE TABLE stat_keys (number INTEGER PRIMARY KEY, content BLOB, checksum INTEGER)"
        )
        connection.executemany(
            "INSERT INTO about VALUES (?, ?)",
            [("version", str(_VERSION)), ("owner", self._owner)],
        )

    def _discard(self) -> None:
        self._is_stale = False
        self.directories = {}
        try:
            self.close()
        except apsw.Error:
            self._connection = None
        for suffix in ("", "-journal"):
            try:
                os.unlink(self._path + suffix)
            except OSError:
                pass


def _key_row(item: DirectoryUpdate) -> tuple[int, bytes, int]:
    content = marshal.dumps((item.rows, sorted(item.untrusted)), 2)
    return item.number, content, crc32(content)
