"""A transcript on disk: compared, and replaced as a whole.

It is never written through a symlink and never half: the new one is prepared beside it and
exchanged with it.

Whoever writes the transcript may be at it meanwhile.  So the old file is looked at after the
exchange, when its name is one that nobody knows: it goes only if it holds what was expected and no
process has it open for writing.  Otherwise it gets a name beside the transcript, and stays.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
from collections.abc import Callable, Iterable

from clew.filenames import real_path
from clew.model.named_tuple import NamedTuple
from clew.worktree.processes import holders
from clew.worktree.syscalls import RENAME_EXCHANGE, RENAME_NOREPLACE, rename

_PIECE = 1 << 20
_UNSUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)
_SET_SIGNAL = 10  # F_SETSIG, which the standard library does not name

Pieces = Callable[[], Iterable[bytes]]
"""Gives the bytes of a transcript, again and again."""


class KeptAside(NamedTuple):
    """An old transcript that could not go."""

    path: bytes
    writers: tuple[str, ...]
    """Who has it open, as far as that can be seen; empty if lines were added and that is all."""


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


def begins_with(path: bytes, pieces: Iterable[bytes]) -> bool:
    """Tell whether a file holds these bytes, and maybe more behind them."""
    try:
        with open(path, "rb") as file:
            return all(file.read(len(piece)) == piece for piece in pieces)
    except OSError:
        return False


def replace(path: bytes, pieces: Pieces, expected: Pieces, temporary: bytes) -> KeptAside | None:
    """Write a file as a whole, under the name `temporary` first; its mode and owner stay.

    What was there goes if it was what is `expected`; else return where it is now.
    """
    directory, name = os.path.split(path)
    if real_path(path) != path:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    parent = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        kept = _settle(parent, directory, name, temporary, (pieces, expected))
        before = _looks(parent, name)
        try:
            _write(parent, temporary, pieces(), before)
        except BaseException:
            _drop(parent, temporary)
            raise
        _exchange(parent, temporary, name)
        kept = _settle(parent, directory, name, temporary, (expected,)) or kept
        os.fsync(parent)
        return kept
    finally:
        os.close(parent)


def settle(path: bytes, held: Iterable[Pieces], temporary: bytes) -> KeptAside | None:
    """See to an old file that a process which was cut short left under the name `temporary`."""
    directory, name = os.path.split(path)
    try:
        parent = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _settle(parent, directory, name, temporary, tuple(held))
    finally:
        os.close(parent)


def _exchange(parent: int, temporary: bytes, name: bytes) -> None:
    """Put the new file in place; the old one, if there is one, has its name then."""
    while True:
        try:
            rename(parent, temporary, parent, name, RENAME_EXCHANGE)
            return None
        except FileNotFoundError:
            pass  # nothing is there to be exchanged
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
            return _exchange_by_link(parent, temporary, name)
        try:
            rename(parent, temporary, parent, name, RENAME_NOREPLACE)
            return None
        except FileExistsError:
            continue  # somebody has just made it


def _exchange_by_link(parent: int, temporary: bytes, name: bytes) -> None:
    """Do the same where files cannot be exchanged: the old one has two names for a moment."""
    second = temporary + b".old"
    _drop(parent, second)
    try:
        os.link(name, second, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
        return
    os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
    os.rename(second, temporary, src_dir_fd=parent, dst_dir_fd=parent)


def _settle(
    parent: int, directory: bytes, name: bytes, old: bytes, held: tuple[Pieces, ...]
) -> KeptAside | None:
    """Remove an old file of which everything is held elsewhere, or give it a name that says so."""
    try:
        descriptor = os.open(
            old, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent
        )
    except FileNotFoundError:
        return None
    try:
        # In this order: who has it open may still write, and who had has written.
        writers = _writers(descriptor, directory, old)
        if not writers and any(_is_part_of(descriptor, pieces()) for pieces in held):
            _drop(parent, old)
            return None
    finally:
        os.close(descriptor)
    aside = name + b".clew-" + os.urandom(4).hex().encode()
    rename(parent, old, parent, aside, RENAME_NOREPLACE)
    return KeptAside(os.path.join(directory, aside), writers)


def _is_part_of(descriptor: int, pieces: Iterable[bytes]) -> bool:
    """Tell whether all bytes of a file are the first of some others."""
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
    """Return who has a file open for writing, or may have it."""
    has_writers = _has_writers(descriptor)
    if has_writers is False:
        return ()
    found = holders(directory, [name])
    named = tuple(f"{one.command} (process {one.pid})" for one in found)
    return named or (("a process that cannot be seen",) if has_writers else ())


def _has_writers(descriptor: int) -> bool | None:
    """Ask the kernel, which gives a read lease only where nobody has the file open for writing.

    None where it gives none for another reason: a network filesystem, another user's file.
    """
    try:
        fcntl.fcntl(descriptor, _SET_SIGNAL, signal.SIGURG)  # which is ignored, unlike SIGIO
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    return False


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
