"""Entry reader: content, attributes and flags of one name, and whether it changed during the read.

The order is stat, read, stat: equal stat keys mean that no write began in between.  A lease
(`lease.py`) shows that no write was already in progress.  Without a lease the result says so, and
the caller reads the file a second time a little later.
No symlink is followed, no mount is crossed (`OSError` with EXDEV), nothing blocks (a fifo is never
opened), and atimes are preserved where the kernel permits.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable

from clew.model.content import BLOB_LIMIT, encode_chunklist
from clew.model.entry import KEPT_FLAGS, NO_ID, Entry, EntryKind
from clew.model.ids import ObjectId, ObjectType, object_id
from clew.model.named_tuple import NamedTuple
from clew.model.small_objects import encode_xattrs
from clew.model.tree import encode_plain_file
from clew.worktree.lease import CLOSED, OPEN, UNKNOWN, check_writers
from clew.worktree.processes import open_for_writing
from clew.worktree.root import Root
from clew.worktree.syscalls import get_inode_flags, has_kept_flags, list_xattrs

Put = Callable[[int, bytes], ObjectId]
StatKey = tuple[int, int, int, int]

TRIES = 3
RACY_NS = 20_000_000
"""A file whose times are younger than this can change again without a change in its times."""
_REPLACED = (errno.ENOENT, errno.ELOOP, errno.ENXIO, errno.ESPIPE, errno.EINVAL, errno.EISDIR)
"""Errors of reading a name that was replaced by something else; the next stat shows by what."""

SQLITE_MAGIC = b"SQLite format 3\x00"

_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_KINDS = {
    stat.S_IFREG: EntryKind.FILE,
    stat.S_IFDIR: EntryKind.DIRECTORY,
    stat.S_IFLNK: EntryKind.SYMLINK,
    stat.S_IFIFO: EntryKind.FIFO,
    stat.S_IFSOCK: EntryKind.SOCKET,
    stat.S_IFCHR: EntryKind.CHARACTER,
    stat.S_IFBLK: EntryKind.BLOCK,
}


class ReadEntry(NamedTuple):
    """The result of reading one name."""

    entry: Entry
    stat: os.stat_result
    """Taken before the last read."""
    stable: bool
    is_sqlite: bool = False
    writer: int = CLOSED
    """Whether a process had it open for writing when the read began: a constant of `lease.py`."""


class SecondRead(NamedTuple):
    """The comparison of a file with an earlier read of it."""

    there: bool
    """The name still refers to the same file."""
    same_key: bool = False
    same_bytes: bool = False
    """Its first bytes, as many as were read, equal the earlier ones."""


def stat_key(found: os.stat_result) -> StatKey:
    """Return the fields of a stat that are equal if the file is unchanged."""
    return found.st_ctime_ns, found.st_ino, found.st_size, found.st_mtime_ns


class EntryReader:
    """Reads directory entries and stores their content with `put`."""

    def __init__(self, root: Root, put: Put, *, is_local: bool = True) -> None:
        """On a filesystem that is not local another host can write, which no lease detects."""
        self._open_entry = root.open_entry
        self._put = put
        self._is_local = is_local
        self._without_leases: set[tuple[int, int]] = set()  # device and owner
        self._open_files: frozenset[tuple[int, int]] | None = None
        self._euid = os.geteuid()
        self._plain_flags = _FILE_FLAGS | (os.O_NOATIME if self._euid == 0 else 0)
        self._without_flags: set[int] = set()  # devices whose filesystem has no inode flags
        self._without_xattrs: set[int] = set()
        self._xattr_ids: dict[bytes, ObjectId] = {}
        self.read_bytes = 0

    def read(self, directory: int, name: bytes, found: os.stat_result) -> ReadEntry:
        """Read anything but a directory.

        `FileNotFoundError` means that it is deleted; any other `OSError` that it exists, or existed
        until just now, and could not be read.
        """
        result: ReadEntry | None = None
        for attempt in range(TRIES):
            if attempt:
                found = os.stat(name, dir_fd=directory, follow_symlinks=False)
            try:
                result = self._read_once(directory, name, found)
            except OSError as error:
                if error.errno not in _REPLACED or attempt + 1 == TRIES:
                    raise
                continue  # replaced by something else: stat it again
            if result.stable:
                return result
        assert result is not None
        return result

    def read_settled(self, directory: int, name: bytes, found: os.stat_result) -> ReadEntry:
        """Read anything but a directory; a file that changed just before must then stay unchanged."""
        result = self.read(directory, name, found)
        is_fresh = result.stat.st_ctime_ns >= time.time_ns() - RACY_NS
        if not result.stable or not is_fresh or result.entry.kind != EntryKind.FILE:
            return result
        time.sleep(RACY_NS / 1e9)
        again = self.read_again(directory, name, result)
        return result._replace(stable=again.same_key and again.same_bytes)

    def _read_once(self, directory: int, name: bytes, found: os.stat_result) -> ReadEntry:
        kind = _KINDS[stat.S_IFMT(found.st_mode)]
        if kind == EntryKind.FILE:
            return self._read_file(directory, name, found)
        if kind == EntryKind.DIRECTORY:
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), name)
        return self._read_special(directory, name, found, kind)

    def read_plain(self, directory: int, name: bytes, found: os.stat_result) -> bytes | None:
        """Return the encoded entry of a small file without xattrs, flags or writers.

        Return None for anything else, and for a file that changed during the read: `read` handles
        those.  A first save does this for nearly every file, so the code is flat.
        """
        size = found.st_size
        if size > BLOB_LIMIT:
            return None
        try:
            descriptor = self._open_entry(directory, name, self._plain_flags)
        except OSError:
            return None
        try:
            writer, before = self._check_writers(descriptor, found)
            if writer != CLOSED or before.st_ctime_ns != found.st_ctime_ns:
                return None
            content = os.read(descriptor, size + 1)
            if found.st_dev not in self._without_xattrs and os.listxattr(descriptor):
                return None
            if found.st_dev not in self._without_flags and has_kept_flags(descriptor):
                return None
            after = os.fstat(descriptor)
        except OSError:
            return None
        finally:
            os.close(descriptor)
        if (
            len(content) != size
            or after.st_ctime_ns != found.st_ctime_ns
            or after.st_mtime_ns != found.st_mtime_ns
            or after.st_ino != found.st_ino
            or content.startswith(SQLITE_MAGIC)
        ):
            return None
        self.read_bytes += size
        return encode_plain_file(
            name,
            found.st_mode & 0o7777,
            found.st_uid,
            found.st_gid,
            found.st_mtime_ns,
            size,
            self._put(ObjectType.BLOB, content),
        )

    def directory(self, descriptor: int, name: bytes, found: os.stat_result) -> Entry:
        """Return the entry of an open directory, without its tree."""
        return Entry(
            name=name,
            kind=EntryKind.DIRECTORY,
            mode=stat.S_IMODE(found.st_mode),
            uid=found.st_uid,
            gid=found.st_gid,
            mtime_ns=found.st_mtime_ns,
            xattrs=self._xattrs(descriptor, found.st_dev),
            flags=self._flags(descriptor, found.st_dev),
        )

    def _read_file(self, directory: int, name: bytes, found: os.stat_result) -> ReadEntry:
        descriptor = self._open(directory, name, found)
        try:
            writer, before = self._check_writers(descriptor, found)
            if not stat.S_ISREG(before.st_mode):
                raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), name)
            size, content, is_sqlite = _content(descriptor, before.st_size, self._put)
            xattrs = self._xattrs(descriptor, found.st_dev)
            flags = self._flags(descriptor, found.st_dev)
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        self.read_bytes += size
        entry = Entry(
            name, EntryKind.FILE, found.st_mode & 0o7777, found.st_uid, found.st_gid,
            found.st_mtime_ns, size, content, xattrs=xattrs, flags=flags,
        )  # fmt: skip
        keys = {stat_key(found), stat_key(before), stat_key(after)}
        stable = len(keys) == 1 and size == found.st_size
        return ReadEntry(entry, found, stable, is_sqlite, writer)

    def read_again(self, directory: int, name: bytes, read: ReadEntry) -> SecondRead:
        """Read a file a second time, up to the same length, and compare."""
        try:
            descriptor = self._open(directory, name, read.stat)
        except OSError:
            return SecondRead(there=False)
        try:
            now = os.fstat(descriptor)
            same_file = (now.st_dev, now.st_ino) == (read.stat.st_dev, read.stat.st_ino)
            if not same_file or not stat.S_ISREG(now.st_mode):
                return SecondRead(there=False)
            size, content, _ = _content(descriptor, read.entry.size, object_id)
            after = os.fstat(descriptor)
        except OSError:
            return SecondRead(there=False)
        finally:
            os.close(descriptor)
        same_bytes = (size, content) == (read.entry.size, read.entry.content)
        return SecondRead(True, stat_key(after) == stat_key(read.stat), same_bytes)

    def _check_writers(self, descriptor: int, found: os.stat_result) -> tuple[int, os.stat_result]:
        """Return whether a process can write to an open file, and its stat at that time."""
        owner = (found.st_dev, found.st_uid)
        if owner not in self._without_leases:
            writer, before = check_writers(descriptor)
            if writer == OPEN or (writer == CLOSED and self._is_local):
                return writer, before
            if stat.S_ISREG(before.st_mode):
                self._without_leases.add(owner)
        if self._open_files is None:
            # A process that opens a file after this gives it times later than the scan's start.
            self._open_files = open_for_writing()
        before = os.fstat(descriptor)
        is_open = (before.st_dev, before.st_ino) in self._open_files
        return (OPEN if is_open else UNKNOWN), before

    def _read_special(
        self, directory: int, name: bytes, found: os.stat_result, kind: int
    ) -> ReadEntry:
        target = b""
        if kind == EntryKind.SYMLINK:
            target = os.readlink(name, dir_fd=directory)
        else:
            os.close(self._open_entry(directory, name, os.O_PATH))  # refuses a mount on the name
        device = (0, 0)
        if kind in (EntryKind.CHARACTER, EntryKind.BLOCK):
            device = (os.major(found.st_rdev), os.minor(found.st_rdev))
        # Links and special files cannot be opened: address them through their directory.
        path = b"/proc/self/fd/%d/%s" % (directory, name)
        entry = Entry(
            name=name,
            kind=kind,
            mode=stat.S_IMODE(found.st_mode),
            uid=found.st_uid,
            gid=found.st_gid,
            mtime_ns=found.st_mtime_ns,
            content=NO_ID,
            target=target,
            device=device,
            xattrs=self._xattrs(path, found.st_dev),
        )
        after = os.stat(name, dir_fd=directory, follow_symlinks=False)
        return ReadEntry(entry, found, stat_key(found) == stat_key(after))

    def _open(self, directory: int, name: bytes, found: os.stat_result) -> int:
        if self._euid == 0 or found.st_uid == self._euid:
            try:
                return self._open_entry(directory, name, _FILE_FLAGS | os.O_NOATIME)
            except PermissionError:
                pass
        return self._open_entry(directory, name, _FILE_FLAGS)

    def _xattrs(self, where: int | bytes, device: int) -> ObjectId | None:
        if device in self._without_xattrs:
            return None
        follow = isinstance(where, int)
        try:
            names = list_xattrs(where, follow=follow)
        except OSError as error:
            if error.errno in (errno.EOPNOTSUPP, errno.ENOSYS):
                self._without_xattrs.add(device)
            return None
        if not names:
            return None
        values: dict[bytes, bytes] = {}
        for name in names:
            try:
                values[name] = os.getxattr(where, name, follow_symlinks=follow)
            except OSError as error:
                if error.errno not in (errno.ENODATA, errno.EOPNOTSUPP, errno.EPERM, errno.EACCES):
                    raise
        if not values:
            return None
        encoded = encode_xattrs(values)
        identifier = self._xattr_ids.get(encoded)
        if identifier is None:
            identifier = self._put(ObjectType.XATTRS, encoded)
            self._xattr_ids[encoded] = identifier
        return identifier

    def _flags(self, descriptor: int, device: int) -> int:
        if device in self._without_flags:
            return 0
        flags = get_inode_flags(descriptor)
        if flags is None:
            self._without_flags.add(device)
            return 0
        return flags & KEPT_FLAGS


def _content(descriptor: int, size: int, put: Put) -> tuple[int, ObjectId, bool]:
    """Store the first `size` bytes of a file; return how many there were, the id, and is-SQLite.

    Reading stops at `size`, because a file may grow faster than it is read.  A file of size zero is
    read anyway: some filesystems do not report the sizes of their files.
    """
    if size <= BLOB_LIMIT:
        content = _read_up_to(descriptor, size or BLOB_LIMIT)
        return len(content), put(ObjectType.BLOB, content), content.startswith(SQLITE_MAGIC)
    from clew.worktree.chunker import tokens

    found = list(tokens(descriptor, lambda piece: put(ObjectType.BLOB, piece), size))
    total = sum(token.length for token in found)
    if total <= BLOB_LIMIT:  # it shrank during the read: a small file is always a blob
        content = _read_up_to(descriptor, BLOB_LIMIT)
        return len(content), put(ObjectType.BLOB, content), False
    is_sqlite = os.pread(descriptor, 16, 0) == SQLITE_MAGIC
    return total, put(ObjectType.CHUNKLIST, encode_chunklist(found)), is_sqlite


def _read_up_to(descriptor: int, size: int) -> bytes:
    """Return the first `size` bytes of a file, or all of a shorter one."""
    content = os.pread(descriptor, size, 0)
    while len(content) < size:
        part = os.pread(descriptor, size - len(content), len(content))
        if not part:
            break
        content += part
    return content
