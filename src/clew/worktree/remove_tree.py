"""Tree removal: deletes a directory tree of any depth, including protected entries.

Every directory is opened beneath the given one, without following a link and without entering a
mount: a mount inside stops the removal.
Modes and flags that forbid a change are cleared on the way.
With a time given, whatever was changed since then is kept and reported.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress

from clew.model import path as paths
from clew.worktree.listing import name_bytes, open_listing
from clew.worktree.metadata import BLOCKING_FLAGS
from clew.worktree.root import Root
from clew.worktree.syscalls import get_inode_flags, set_inode_flags

_OPENABLE = (stat.S_IFREG, stat.S_IFDIR)


def remove_tree(directory: bytes, path: bytes, unless_since: int | None = None) -> list[bytes]:
    """Delete `path` beneath `directory`, if it exists, and return the paths that were kept.

    `unless_since` is a time by the filesystem's clock: files changed then or later are kept, with
    the directories above them.
    """
    with Root(directory) as root:
        removal = _Removal(root, unless_since)
        removal.remove(path)
        return removal.kept


def unlock_directory(root: Root, path: bytes) -> None:
    """Clear the mode bits and flags of a directory that forbid changes in it."""
    _Removal(root).unlock_directory(path)


class _Removal:
    def __init__(self, root: Root, unless_since: int | None = None) -> None:
        self._root = root
        self._changed = _ChangedSince(unless_since) if unless_since is not None else None
        self.kept: list[bytes] = []
        self._kept_directories: set[bytes] = set()
        """Directories that are kept because an entry in them is."""

    def remove(self, path: bytes) -> None:
        if not self._is_directory(path):
            self._in_parent(path, os.unlink)
            return
        pending = [path]
        while pending:
            inside = [paths.join(pending[-1], name) for name in self._empty(pending[-1])]
            inside = [one for one in inside if one not in self._kept_directories]
            if inside:
                pending += inside
            else:
                self._remove_directory(pending.pop())

    def _remove_directory(self, path: bytes) -> None:
        try:
            self._in_parent(path, os.rmdir)
        except OSError as error:
            if self._changed is None or error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            self._kept_directories.add(path)

    def unlock_directory(self, path: bytes) -> None:
        descriptor = self._open(path)
        try:
            _unlock_open(descriptor)
        finally:
            os.close(descriptor)

    def _empty(self, path: bytes) -> list[bytes]:
        """Delete all entries except directories, and return the directories."""
        try:
            descriptor = self._open(path)
        except FileNotFoundError:
            return []
        try:
            with open_listing(descriptor) as entries:
                found = [(name_bytes(one), one.is_dir(follow_symlinks=False)) for one in entries]
            for name, is_directory in found:
                if not is_directory and self._may_delete(descriptor, path, name):
                    _retry_unlocked(descriptor, name, os.unlink)
        finally:
            os.close(descriptor)
        return [name for name, is_directory in found if is_directory]

    def _may_delete(self, directory: int, path: bytes, name: bytes) -> bool:
        if self._changed is None:
            return True
        try:
            found = os.stat(name, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            return False
        if not self._changed(found):
            return True
        whole = paths.join(path, name)
        if whole not in self.kept:  # a directory is listed again after its subdirectories
            self.kept.append(whole)
        return False

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
            self._in_parent(path, _unlock)
            return self._root.open_directory(path)

    def _in_parent(self, path: bytes, act: Callable[..., None]) -> None:
        try:
            parent = self._root.open_directory(paths.parent_of(path))
        except FileNotFoundError:
            return
        try:
            _retry_unlocked(parent, paths.name_of(path), act)
        finally:
            os.close(parent)


class _ChangedSince:
    """Returns whether a file was changed at a given time or later."""

    def __init__(self, moment: int) -> None:
        self._time = moment
        self._linked: dict[tuple[int, int], tuple[int, int]] = {}

    def __call__(self, found: os.stat_result) -> bool:
        key, looks = (found.st_dev, found.st_ino), (found.st_mtime_ns, found.st_size)
        if key in self._linked:  # another name of it was just deleted, which updates its ctime
            return self._linked[key] != looks
        if found.st_ctime_ns >= self._time:
            return True
        if found.st_nlink > 1:
            self._linked[key] = looks
        return False


def _retry_unlocked(parent: int, name: bytes, act: Callable[..., None]) -> None:
    """Call `act` on a name; if that is forbidden, unlock the name and its directory and retry."""
    try:
        with suppress(FileNotFoundError):
            act(name, dir_fd=parent)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EACCES):
            raise
        _unlock_open(parent)
        with suppress(FileNotFoundError):
            _unlock(name, dir_fd=parent)
            act(name, dir_fd=parent)


def _unlock(name: bytes, *, dir_fd: int) -> None:
    """Clear what forbids changing a file or entering a directory."""
    pinned = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=dir_fd)
    try:
        found = os.fstat(pinned)
        if stat.S_IFMT(found.st_mode) not in _OPENABLE:
            return
        where = f"/proc/self/fd/{pinned}"
        if found.st_uid == os.geteuid() or os.geteuid() == 0:
            with suppress(OSError):  # refused if immutable, but root can open it anyway
                os.chmod(where, stat.S_IMODE(found.st_mode) | 0o700)
        with suppress(OSError):
            descriptor = os.open(where, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
            try:
                _unlock_open(descriptor)
            finally:
                os.close(descriptor)
    finally:
        os.close(pinned)


def _unlock_open(descriptor: int) -> None:
    with suppress(OSError):
        flags = get_inode_flags(descriptor) or 0
        if flags & BLOCKING_FLAGS:
            set_inode_flags(descriptor, flags & ~BLOCKING_FLAGS)
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode) and found.st_mode & 0o700 != 0o700:
            os.fchmod(descriptor, stat.S_IMODE(found.st_mode) | 0o700)
