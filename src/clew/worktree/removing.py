"""Removing a whole tree, however deep and however protected, and nothing besides.

Every directory is opened beneath the one it is removed from, without following a link and without
entering a mount: one that is found inside stops the removal.
A directory that its mode shuts, and flags that forbid a change, are opened up on the way.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress

from clew.model import path as paths
from clew.worktree.metadata import FORBIDDING
from clew.worktree.root import Root
from clew.worktree.syscalls import get_inode_flags, set_inode_flags

_OPENABLE = (stat.S_IFREG, stat.S_IFDIR)


def remove_tree(directory: bytes, path: bytes) -> None:
    """Remove what is at `path` beneath `directory`; what is gone already is no error."""
    with Root(directory) as root:
        _Removal(root).remove(path)


def open_up(root: Root, path: bytes) -> None:
    """Let things be changed in a directory that its mode or its flags shut."""
    _Removal(root).open_up(path)


class _Removal:
    def __init__(self, root: Root) -> None:
        self._root = root

    def remove(self, path: bytes) -> None:
        if not self._is_directory(path):
            self._in_parent(path, os.unlink)
            return
        ahead = [path]
        while ahead:
            inside = self._empty(ahead[-1])
            if inside:
                ahead += [paths.join(ahead[-1], name) for name in inside]
            else:
                self._in_parent(ahead.pop(), os.rmdir)

    def open_up(self, path: bytes) -> None:
        descriptor = self._open(path)
        try:
            _open_up_open(descriptor)
        finally:
            os.close(descriptor)

    def _empty(self, path: bytes) -> list[bytes]:
        """Remove all that is no directory, and return the directories."""
        try:
            descriptor = self._open(path)
        except FileNotFoundError:
            return []
        try:
            with os.scandir(descriptor) as entries:
                found = [
                    (os.fsencode(one.name), one.is_dir(follow_symlinks=False)) for one in entries
                ]
            for name, is_directory in found:
                if not is_directory:
                    _insist(descriptor, name, os.unlink)
        finally:
            os.close(descriptor)
        return [name for name, is_directory in found if is_directory]

    def _is_directory(self, path: bytes) -> bool:
        try:
            parent = self._root.open_directory(paths.parent_of(path))
        except FileNotFoundError:
            return False
        try:
            found = os.stat(paths.name_of(path), dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:
            return False
        finally:
            os.close(parent)
        return stat.S_ISDIR(found.st_mode)

    def _open(self, path: bytes) -> int:
        try:
            return self._root.open_directory(path)
        except PermissionError:
            self._in_parent(path, _open_up)
            return self._root.open_directory(path)

    def _in_parent(self, path: bytes, act: Callable[..., None]) -> None:
        try:
            parent = self._root.open_directory(paths.parent_of(path))
        except FileNotFoundError:
            return
        try:
            _insist(parent, paths.name_of(path), act)
        finally:
            os.close(parent)


def _insist(parent: int, name: bytes, act: Callable[..., None]) -> None:
    """Do something to a name, opening up it and its directory where that is forbidden."""
    try:
        with suppress(FileNotFoundError):
            act(name, dir_fd=parent)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EACCES):
            raise
        _open_up_open(parent)
        with suppress(FileNotFoundError):
            _open_up(name, dir_fd=parent)
            act(name, dir_fd=parent)


def _open_up(name: bytes, *, dir_fd: int) -> None:
    """Take away what forbids changing a file or entering a directory."""
    pinned = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=dir_fd)
    try:
        found = os.fstat(pinned)
        if stat.S_IFMT(found.st_mode) not in _OPENABLE:
            return
        where = f"/proc/self/fd/{pinned}"
        if found.st_uid == os.geteuid() or os.geteuid() == 0:
            with suppress(
                OSError
            ):  # an immutable one refuses this, and is opened as root all the same
                os.chmod(where, stat.S_IMODE(found.st_mode) | 0o700)
        with suppress(OSError):
            descriptor = os.open(where, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
            try:
                _open_up_open(descriptor)
            finally:
                os.close(descriptor)
    finally:
        os.close(pinned)


def _open_up_open(descriptor: int) -> None:
    with suppress(OSError):
        flags = get_inode_flags(descriptor) or 0
        if flags & FORBIDDING:
            set_inode_flags(descriptor, flags & ~FORBIDDING)
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode) and found.st_mode & 0o700 != 0o700:
            os.fchmod(descriptor, stat.S_IMODE(found.st_mode) | 0o700)
