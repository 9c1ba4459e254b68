"""Displaced files: what a restore took out of its place, until it is deleted or put back.

A file that came out waits in the stage.  It is deleted only if it still is what the rescue holds;
a program that had it open may have written to it meanwhile, and then it goes back.  Somebody may
also have put a new file in its place (log rotation, an editor that saves by renaming): then both
are kept, the new one where it is and the old one aside.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable

from clew.model import path as paths
from clew.worktree.root import Root
from clew.worktree.stage import Stage
from clew.worktree.syscalls import RENAME_EXCHANGE, RENAME_NOREPLACE, rename

IsOurs = Callable[[int, bytes, os.stat_result], bool]
"""Tells whether a name in an open directory is the file that the restore put there."""

_TRIES = 3
_COPIED_AT_ONCE = 1 << 20


def identity(found: os.stat_result) -> tuple[int, ...]:
    """Return what a rename leaves alone (it changes the ctime)."""
    return (
        found.st_ino, found.st_size, found.st_mtime_ns, found.st_mode, found.st_uid, found.st_gid,
    )  # fmt: skip


def put_back(
    root: Root, stage: Stage, region: bytes, item: bytes, path: bytes, is_ours: IsOurs
) -> bool:
    """Move an item of a region's stage back to its path; tell whether it is there now.

    What stands at the path is deleted only if it `is_ours`.  Otherwise it stays, and the item is
    kept aside.
    """
    try:
        parent = root.open_directory(paths.parent_of(path))
    except OSError:
        stage.keep_aside(region, item, path)
        return False
    try:
        if _exchange(stage.descriptor(region), item, parent, path, is_ours):
            return True
    finally:
        os.close(parent)
    stage.keep_aside(region, item, path)
    return False


def _exchange(held: int, item: bytes, parent: int, path: bytes, is_ours: IsOurs) -> bool:
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
        try:
            rename(held, item, parent, name, RENAME_EXCHANGE)
        except OSError:
            return False
        came_out = os.stat(item, dir_fd=held, follow_symlinks=False)
        if identity(came_out) == identity(found) and delete(held, item, came_out):
            return True
        # Somebody was faster: what came out is theirs, and belongs where it was.
        try:
            rename(held, item, parent, name, RENAME_EXCHANGE)
        except OSError:
            return False
    return False


def delete(directory: int, name: bytes, before: os.stat_result) -> bool:
    """Delete a file unless it was written to after `before`; tell whether it is gone.

    A write that falls between the look and the deletion is seen afterwards, and the file is
    written anew from what the inode holds.
    """
    if not stat.S_ISREG(before.st_mode):
        os.unlink(name, dir_fd=directory)
        return True
    pinned = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    try:
        if not _same_bytes(os.fstat(pinned), before):
            return False
        os.unlink(name, dir_fd=directory)
        if _same_bytes(os.fstat(pinned), before):
            return True
        _write_anew(pinned, directory, name)
        return False
    finally:
        os.close(pinned)


def _same_bytes(now: os.stat_result, before: os.stat_result) -> bool:
    return (now.st_ino, now.st_size, now.st_mtime_ns) == (
        before.st_ino, before.st_size, before.st_mtime_ns,
    )  # fmt: skip


def _write_anew(pinned: int, directory: int, name: bytes) -> None:
    found = os.fstat(pinned)
    source = os.open(f"/proc/self/fd/{pinned}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        target = os.open(name, flags, 0o600, dir_fd=directory)
        try:
            while piece := os.read(source, _COPIED_AT_ONCE):
                view = memoryview(piece)
                while view:
                    view = view[os.write(target, view) :]
            os.fchmod(target, stat.S_IMODE(found.st_mode))
        finally:
            os.close(target)
    finally:
        os.close(source)
