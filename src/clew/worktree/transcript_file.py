"""Transcript file: compares a transcript on disk, and replaces it atomically.

It is never written through a symlink and never partially: the new file is prepared beside it and
exchanged with it.

The agent may write to the transcript at the same time.  The old file is therefore checked after the
exchange, under a name that no other process knows: it is deleted only if it holds what was expected
and no process has it open for writing.  Otherwise it is kept under a new name beside the transcript.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
from collections.abc import Callable, Iterable, Iterator

from clew.atomic_write import write_new
from clew.filenames import real_path
from clew.model.named_tuple import NamedTuple
from clew.worktree.fail_point import FailPoint, no_fail_point
from clew.worktree.processes import holders
from clew.worktree.syscalls import RENAME_EXCHANGE, RENAME_NOREPLACE, rename

_PIECE = 1 << 20
_UNSUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)
_SET_SIGNAL = 10  # F_SETSIG, which the standard library does not name

Pieces = Callable[[], Iterable[bytes]]
"""Returns the content of a transcript; can be called repeatedly."""


class KeptAside(NamedTuple):
    """An old transcript that could not be deleted."""

    path: bytes
    writers: tuple[str, ...]
    """Processes that have it open, as far as visible; empty if it only had additional lines."""


def holds(path: bytes, pieces: Iterable[bytes], length: int) -> bool:
    """Return whether a file has exactly this content; a missing file counts as empty."""
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


def begins_with(path: bytes, pieces: Iterable[bytes]) -> bool:
    """Return whether a file starts with this content."""
    try:
        with open(path, "rb") as file:
            return all(file.read(len(piece)) == piece for piece in pieces)
    except OSError:
        return False


def replace(
    path: bytes,
    pieces: Pieces,
    expected: Pieces,
    temporary: bytes,
    fail_point: FailPoint = no_fail_point,
) -> KeptAside | None:
    """Replace a file by way of the name `temporary`; mode and owner are preserved.

    The old file is deleted if its content is what is `expected`; otherwise return its new path.
    """
    directory, name = os.path.split(path)
    if real_path(path) != path:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    parent = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        kept = _retire(parent, directory, name, temporary, (pieces, expected))
        before = _stat_file(parent, name)
        _write(parent, temporary, pieces(), before)
        fail_point("transcript.exchange")
        _exchange(parent, temporary, name)
        fail_point("transcript.exchanged")
        kept = _retire(parent, directory, name, temporary, (expected,)) or kept
        os.fsync(parent)
        return kept
    finally:
        os.close(parent)


def settle(path: bytes, held: Iterable[Pieces], temporary: bytes) -> KeptAside | None:
    """Delete or set aside the old file that an interrupted process left as `temporary`."""
    directory, name = os.path.split(path)
    try:
        parent = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _retire(parent, directory, name, temporary, tuple(held))
    finally:
        os.close(parent)


def _exchange(parent: int, temporary: bytes, name: bytes) -> None:
    """Put the new file in place; the old one, if any, then has the temporary name."""
    while True:
        try:
            rename(parent, temporary, parent, name, RENAME_EXCHANGE)
            return None
        except FileNotFoundError:
            pass  # there is no old file
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
            return _exchange_by_link(parent, temporary, name)
        try:
            rename(parent, temporary, parent, name, RENAME_NOREPLACE)
            return None
        except FileExistsError:
            continue  # another process has just created it


def _exchange_by_link(parent: int, temporary: bytes, name: bytes) -> None:
    """Do the same without RENAME_EXCHANGE: the old file briefly has two names."""
    second = temporary + b".old"
    _unlink(parent, second)
    try:
        os.link(name, second, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
        return
    os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
    os.rename(second, temporary, src_dir_fd=parent, dst_dir_fd=parent)


def _retire(
    parent: int, directory: bytes, name: bytes, old: bytes, held: tuple[Pieces, ...]
) -> KeptAside | None:
    """Delete an old file whose whole content is held elsewhere, or set it aside."""
    try:
        descriptor = os.open(
            old, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent
        )
    except FileNotFoundError:
        return None
    try:
        # Check writers before content: a process that closed the file has finished writing.
        writers = _writers(descriptor, directory, old)
        if not writers and any(_is_prefix(descriptor, pieces()) for pieces in held):
            _unlink(parent, old)
            return None
    finally:
        os.close(descriptor)
    aside = name + b".clew-" + os.urandom(4).hex().encode()
    rename(parent, old, parent, aside, RENAME_NOREPLACE)
    return KeptAside(os.path.join(directory, aside), writers)


def _is_prefix(descriptor: int, pieces: Iterable[bytes]) -> bool:
    """Return whether the content of a file is a prefix of `pieces`."""
    at, size = 0, os.fstat(descriptor).st_size
    for piece in pieces:
        if at >= size:
            break
        found = os.pread(descriptor, len(piece), at)
        if not piece.startswith(found):
            return False
        at += len(found)
        if len(found) < len(piece):
            break
    return at >= os.fstat(descriptor).st_size


def _writers(descriptor: int, directory: bytes, name: bytes) -> tuple[str, ...]:
    """Return the processes that have, or may have, a file open for writing."""
    has_writers = _has_writers(descriptor)
    if has_writers is False:
        return ()
    found = holders(directory, [name])
    named = tuple(f"{one.command} (process {one.pid})" for one in found)
    return named or (("an unknown process",) if has_writers else ())


def _has_writers(descriptor: int) -> bool | None:
    """Return whether any process has a file open for writing, by taking a read lease.

    None if the kernel refuses leases: a network filesystem, another user's file.
    """
    try:
        fcntl.fcntl(descriptor, _SET_SIGNAL, signal.SIGURG)  # ignored by default, unlike SIGIO
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    return False


def _stat_file(parent: int, name: bytes) -> os.stat_result | None:
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
    def set_owner(descriptor: int) -> None:
        if before is not None:
            if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
                os.fchown(descriptor, before.st_uid, before.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(before.st_mode))

    _unlink(parent, name)  # left by an interrupted process
    write_new(name, _blocks(pieces), sync=True, dir_fd=parent, prepare=set_owner)


def _blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in larger pieces: most are lines, and each costs a system call."""
    block = bytearray()
    for piece in pieces:
        block += piece
        if len(block) >= _PIECE:
            yield bytes(block)
            block.clear()
    yield bytes(block)


def _unlink(parent: int, name: bytes) -> None:
    try:
        os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        return
