"""Workspace root: opens paths beneath a root descriptor.

Every path is opened from the root's descriptor, name by name, without following a link, so nothing
outside is reached even if a process swaps directories for symlinks.
Paths may be longer than PATH_MAX: they are opened in pieces.

No mount is crossed, not even one that appears during the work: it would show another filesystem in
place of the workspace's own directory.  A workspace with mounts of its own (a whole machine) lists
them with their mount ids; a path below one is opened from that mount's root, after a comparison of
its id.  Readers that may cross any mount pass `cross_mounts`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping

from clew.model import path as paths
from clew.worktree.syscalls import mount_id, open_beneath

_PIECE = 3500  # bytes of path passed to the kernel at a time
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Root:
    """An open workspace root."""

    def __init__(
        self,
        path: bytes,
        *,
        cross_mounts: bool = False,
        mounts: Mapping[bytes, int] | None = None,
    ) -> None:
        """`mounts` has the mounts that belong to the workspace: path to mount id.

        The path `b""` is the root itself; `OSError` with EXDEV if its mount id differs.
        """
        self.path = path
        self.descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._cross_mounts = cross_mounts
        self._has_openat2 = True
        self._mounts = dict(mounts or {})
        self._open_mounts: dict[bytes, int] = {}
        expected = self._mounts.pop(b"", None)
        if expected is not None and mount_id(self.descriptor) != expected:
            os.close(self.descriptor)
            raise _mount_error(path)

    def open_directory(self, path: bytes) -> int:
        """Open a directory beneath the root; the caller closes the descriptor."""
        return self.open(path, _DIRECTORY)

    def open(self, path: bytes, flags: int) -> int:
        """Open a file or directory beneath the root by its relative path."""
        if path in self._mounts:
            return self._open_mount(path, flags)
        start, path = self._start(path)
        if not path:
            return os.open(b".", flags & ~os.O_NOFOLLOW, dir_fd=start)
        at = start
        try:
            *before, last = _pieces(path)
            for piece in before:
                found = self._open_piece(at, piece, _DIRECTORY)
                if at != start:
                    os.close(at)
                at = found
            return self._open_piece(at, last, flags | os.O_NOFOLLOW)
        finally:
            if at != start:
                os.close(at)

    def open_in(self, directory: int, name: bytes, flags: int) -> int:
        """Open a name in an open directory, which must be on the same mount."""
        return self._open_piece(directory, name, flags | os.O_NOFOLLOW)

    def open_entry(self, directory: int, name: bytes, flags: int) -> int:
        """Open a name in an open directory; it may be the root of a mount of the workspace."""
        try:
            return self._open_piece(directory, name, flags | os.O_NOFOLLOW)
        except OSError as error:
            if error.errno != errno.EXDEV or not self._mounts:
                raise
        found = os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
        if mount_id(found) not in self._mounts.values():
            os.close(found)
            raise _mount_error(name)
        return found

    def close(self) -> None:
        for descriptor in (*self._open_mounts.values(), self.descriptor):
            os.close(descriptor)
        self._open_mounts.clear()

    def __enter__(self) -> Root:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, path: bytes) -> tuple[int, bytes]:
        """Return the root of the mount that contains a path, and the path relative to it."""
        for above in paths.ancestors(path) if self._mounts else ():
            if above in self._mounts:
                if above not in self._open_mounts:
                    self._open_mounts[above] = self._open_mount(above, _DIRECTORY)
                return self._open_mounts[above], path[len(above) + 1 :]
        return self.descriptor, path

    def _open_mount(self, path: bytes, flags: int) -> int:
        """Open the root of a mount of the workspace, if it is still the same mount."""
        parent = self.open_directory(paths.parent_of(path))
        try:
            found = os.open(paths.name_of(path), flags | os.O_NOFOLLOW, dir_fd=parent)
        finally:
            os.close(parent)
        if mount_id(found) != self._mounts[path]:
            os.close(found)
            raise _mount_error(path)
        return found

    def _open_piece(self, at: int, piece: bytes, flags: int) -> int:
        if self._has_openat2:
            try:
                return open_beneath(at, piece, flags, cross_mounts=self._cross_mounts)
            except OSError as error:
                if error.errno not in (errno.ENOSYS, errno.EPERM):
                    raise
            # EPERM may come from a sandbox that forbids `openat2`, or from the file (O_NOATIME).
            found = self._open_by_name(at, piece, flags)
            self._has_openat2 = False
            return found
        return self._open_by_name(at, piece, flags)

    def _open_by_name(self, at: int, piece: bytes, flags: int) -> int:
        """Emulate `openat2`, one name at a time, on kernels and in sandboxes without it."""
        *before, last = piece.split(b"/")
        current = at
        try:
            for name in before:
                found = self._open_name(current, name, _DIRECTORY)
                if current != at:
                    os.close(current)
                current = found
            return self._open_name(current, last, flags | os.O_NOFOLLOW | os.O_CLOEXEC)
        finally:
            if current != at:
                os.close(current)

    def _open_name(self, directory: int, name: bytes, flags: int) -> int:
        found = os.open(name, flags, dir_fd=directory)
        if not self._cross_mounts and mount_id(found) != mount_id(directory):
            os.close(found)
            raise _mount_error(name)
        return found


def _mount_error(path: bytes) -> OSError:
    return OSError(errno.EXDEV, "Another filesystem is mounted here", path)


def _pieces(path: bytes) -> list[bytes]:
    if len(path) <= _PIECE:
        return [path]
    pieces: list[bytes] = []
    current: list[bytes] = []
    length = 0
    for name in path.split(b"/"):
        if length + len(name) > _PIECE and current:
            pieces.append(b"/".join(current))
            current, length = [], 0
        current.append(name)
        length += len(name) + 1
    pieces.append(b"/".join(current))
    return pieces
