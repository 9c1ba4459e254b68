"""Refresh git's index in a copy: git compares inode numbers and change times with those in its index.

A copy has the same content and modification times but other inodes, so `git diff-index HEAD` would
report every file as changed.  An entry whose modification time and size are those of the file
was up to date in the original; it gets the remaining numbers of the copied file.  No content is
read, and git, which would read the repository's configuration, is not run.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from struct import Struct, error

from clew.model.named_tuple import NamedTuple

_HEADER = Struct(">4sII")
_STAT = Struct(">10I")
_FLAGS = Struct(">H")
_HAS_MORE_FLAGS = 0x4000
_GITLINK = 0o160000
_LARGEST = 256 << 20
_DEEPEST = 4
_LINK_PREFIX = b"gitdir: "


class _IndexEntry(NamedTuple):
    at: int
    """Where its numbers are in the index."""
    mode: int
    name: bytes


def refresh_git_indexes(root: bytes) -> None:
    """Refresh the index of a repository at `root` and those of its submodules.

    Only where they are in the workspace; one that cannot be read or written stays as it is.
    """
    _refresh(root, os.path.realpath(root), _DEEPEST)


def _refresh(directory: bytes, root: bytes, depth: int) -> None:
    path = _index_of(directory, root)
    if path is None or not depth:
        return
    submodules: list[bytes] = []
    with suppress(OSError, ValueError, IndexError, error):
        submodules = _refresh_file(path, directory)
    for name in submodules:
        below = os.path.join(directory, name)
        if _is_inside(below, root):
            _refresh(below, root, depth - 1)


def _index_of(directory: bytes, root: bytes) -> bytes | None:
    """Return the path of a repository's index, if it is in the workspace."""
    place = os.path.join(directory, b".git")
    try:
        if os.path.isfile(place):
            with open(place, "rb") as file:
                line = file.read(1 << 16)
            if not line.startswith(_LINK_PREFIX):
                return None
            place = os.path.join(directory, line[len(_LINK_PREFIX) :].rstrip(b"\n"))
        index = os.path.join(place, b"index")
        return index if os.path.isfile(index) and _is_inside(index, root) else None
    except (OSError, ValueError):
        return None


def _is_inside(path: bytes, root: bytes) -> bool:
    return os.path.realpath(path).startswith(root.rstrip(b"/") + b"/")


def _refresh_file(path: bytes, directory: bytes) -> list[bytes]:
    """Refresh one index in place; return the paths of submodules."""
    status = os.lstat(path)
    if status.st_size > _LARGEST:
        return []
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "r+b") as file:
        content = bytearray(file.read())
        digest = _checksum(content)
        entries = list(_entries(content, len(digest or b"") or 20))
        changed = sum(_refresh_entry(content, entry, directory) for entry in entries)
        if changed:
            if digest is not None:
                content[-len(digest) :] = _digest(content, len(digest))
            file.seek(0)
            file.write(content)
            file.flush()
            # Git trusts an entry only if it is older than the index.
            os.utime(file.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))
    return [entry.name for entry in entries if entry.mode == _GITLINK]


def _checksum(content: bytearray) -> bytes | None:
    """Return the checksum at the end; None if git was told to write none."""
    for size in (20, 32):
        found = bytes(content[-size:])
        if found == _digest(content, size):
            return found
    if not any(content[-20:]):
        return None
    raise ValueError("not an index")


def _digest(content: bytearray, size: int) -> bytes:
    what = memoryview(content)[:-size]
    if size == 20:
        return hashlib.sha1(what, usedforsecurity=False).digest()
    return hashlib.sha256(what).digest()


def _entries(content: bytearray, hash_size: int) -> Iterator[_IndexEntry]:
    magic, version, number = _HEADER.unpack_from(content)
    if magic != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("not an index")
    at, name = _HEADER.size, b""
    for _ in range(number):
        end = at + _STAT.size + hash_size
        (flags,) = _FLAGS.unpack_from(content, end)
        end += 4 if flags & _HAS_MORE_FLAGS else 2
        if version == 4:
            removed, end = _variable_number(content, end)
            zero = content.index(0, end)
            name = name[: len(name) - removed] + bytes(content[end:zero])
            after = zero + 1
        else:
            zero = content.index(0, end)
            name = bytes(content[end:zero])
            after = at + (zero - at + 8) // 8 * 8
        yield _IndexEntry(at, _STAT.unpack_from(content, at)[6], name)
        at = after


def _variable_number(content: bytearray, at: int) -> tuple[int, int]:
    """Return a number in git's offset encoding, and where it ends."""
    byte = content[at]
    number = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = content[at]
        number = ((number + 1) << 7) | (byte & 0x7F)
    return number, at + 1


def _refresh_entry(content: bytearray, entry: _IndexEntry, directory: bytes) -> bool:
    """Give an entry the numbers of its file, if it was up to date in the original."""
    if not (stat.S_ISREG(entry.mode) or stat.S_ISLNK(entry.mode)):
        return False
    found = _STAT.unpack_from(content, entry.at)
    try:
        status = os.lstat(os.path.join(directory, entry.name))
    except (OSError, ValueError):
        return False
    seconds, nanoseconds = divmod(status.st_mtime_ns, 10**9)
    if (found[2], found[9]) != (seconds & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF):
        return False
    if found[3] not in (0, nanoseconds):
        return False
    changed, changed_ns = divmod(status.st_ctime_ns, 10**9)
    numbers = (
        *(changed, changed_ns if found[1] else 0, found[2], found[3]),
        *(status.st_dev, status.st_ino, found[6], status.st_uid, status.st_gid, found[9]),
    )
    _STAT.pack_into(content, entry.at, *(number & 0xFFFFFFFF for number in numbers))
    return True
