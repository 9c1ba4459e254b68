"""Displaced files: files that a restore moved out of their place, until deleted or put back.

A displaced file waits in the stage.  It is deleted only if it still is what the rescue captured; if
a program that had it open has written to it, it is put back.  If another process has put a new file
in its place (log rotation, an editor that saves by renaming), both are kept: the new one in place
and the old one aside.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable

from clew.atomic_write import write_all
from clew.model import path as paths
from clew.worktree.fail_point import FailPoint, no_fail_point
from clew.worktree.root import Root
from clew.worktree.stage import Stage
from clew.worktree.syscalls import RENAME_EXCHANGE, RENAME_NOREPLACE, rename

IsOurs = Callable[[int, bytes, os.stat_result], bool]
"""Returns whether a name in an open directory is the file that the restore put there."""

_TRIES = 3
_COPIED_AT_ONCE = 1 << 20


def identity(found: os.stat_result) -> tuple[int, ...]:
    """Return the stat fields that a rename does not change (it changes the ctime)."""
    return (
        found.st_ino, found.st_size, found.st_mtime_ns, found.st_mode, found.st_uid, found.st_gid,
    )  # fmt: skip


def put_back(
    root: Root,
    stage: Stage,
    region: bytes,
    item: bytes,
    path: bytes,
    is_ours: IsOurs,
    fail_point: FailPoint = no_fail_point,
) -> bool:
    """Move an item of a region's stage back to its path; return whether it is there now.

    The file at the path is deleted only if it `is_ours`.  Otherwise it stays, and the item is set
    aside.
    """
    try:
        parent = root.open_directory(paths.parent_of(path))
    except OSError:
        stage.keep_aside(region, item, path)
        return False
    try:
        if _exchange(stage.descriptor(region), item, parent, path, is_ours, fail_point):
            return True
    finally:
        os.close(parent)
    stage.keep_aside(region, item, path)
    return False


def _exchange(
    held: int, item: bytes, parent: int, path: bytes, is_ours: IsOurs, fail_point: FailPoint
) -> bool:
    name = paths.name_of(path)
    for _ in range(_TRIES):
        try:
            rename(held, item, parent, name, RENAME_NOREPLACE)
            return True
        except OSError as error:
            if error.errno != errno.EEXIST:
                return False
        try:
            found = os.stat(name, dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:
            continue
        if not is_ours(parent, name, found):
            return False
        fail_point("restore.exchange-back")
        try:
            rename(held, item, parent, name, RENAME_EXCHANGE)
        except OSError:
            return False
        displaced_stat = os.stat(item, dir_fd=held, follow_symlinks=False)
        if identity(displaced_stat) == identity(found) and delete(
            held, item, displaced_stat, fail_point
        ):
            return True
        # Another process replaced it first: exchange its file back into place.
        try:
            rename(held, item, parent, name, RENAME_EXCHANGE)
        except OSError:
            return False
    return False


def delete(
    directory: int,
    name: bytes,
    before: os.stat_result,
    fail_point: FailPoint = no_fail_point,
) -> bool:
    """Delete a file unless it was written to after `before`; return whether it is deleted.

    A write between the check and the deletion is detected afterwards, and the file is recreated
    from the content of the inode.
    """
    if not stat.S_ISREG(before.st_mode):
        os.unlink(name, dir_fd=directory)
        return True
    pinned = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    try:
        if not _same_bytes(os.fstat(pinned), before):
            return False
        fail_point("restore.unlink")
        os.unlink(name, dir_fd=directory)
        if _same_bytes(os.fstat(pinned), before):
            return True
        _recreate(pinned, directory, name)
        return False
    finally:
        os.close(pinned)


def _same_bytes(now: os.stat_result, before: os.stat_result) -> bool:
    return (now.st_ino, now.st_size, now.st_mtime_ns) == (
        before.st_ino, before.st_size, before.st_mtime_ns,
    )  # fmt: skip


def _recreate(pinned: int, directory: int, name: bytes) -> None:
    found = os.fstat(pinned)
    source = os.open(f"/proc/self/fd/{pinned}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        target = os.open(name, flags, 0o600, dir_fd=directory)
        try:
            while piece := os.read(source, _COPIED_AT_ONCE):
                write_all(target, piece)
            os.fchmod(target, stat.S_IMODE(found.st_mode))
        finally:
            os.close(target)
    finally:
        os.close(source)
