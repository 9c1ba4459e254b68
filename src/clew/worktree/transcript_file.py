"""A transcript on disk: compared, and replaced as a whole.

It is never written through a symlink and never half: the new one is prepared beside it and
renamed over it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable

_PIECE = 1 << 20


def holds(path: bytes, pieces: Iterable[bytes], length: int) -> bool:
    """Tell whether a file holds exactly these bytes; one that is not there holds nothing."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return length == 0
    except OSError:
        return False
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_size != length:
        os.close(descriptor)
        return False
    with os.fdopen(descriptor, "rb") as file:
        return all(file.read(len(piece)) == piece for piece in pieces) and not file.read(1)


def replace(path: bytes, pieces: Iterable[bytes], temporary: bytes) -> None:
    """Write a file as a whole, under the name `temporary` first; its mode and owner stay."""
    directory, name = os.path.split(path)
    if os.path.realpath(path) != path:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    parent = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        before = _looks(parent, name)
        try:
            _write(parent, temporary, pieces, before)
            os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
        except BaseException:
            _drop(parent, temporary)
            raise
        os.fsync(parent)
    finally:
        os.close(parent)


def _looks(parent: int, name: bytes) -> os.stat_result | None:
    try:
        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "Not a file")
    return found


def _write(
    parent: int, name: bytes, pieces: Iterable[bytes], before: os.stat_result | None
) -> None:
    _drop(parent, name)  # left by one that was cut short
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o600, dir_fd=parent), "wb", _PIECE) as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        if before is not None:
            if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
                os.fchown(file.fileno(), before.st_uid, before.st_gid)
            os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
        os.fsync(file.fileno())


def _drop(parent: int, name: bytes) -> None:
    try:
        os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        return
