"""The root of a workspace, and opening what lies beneath it.

Every path is opened from the root's own descriptor, name by name, without following a link, so
nothing outside can be reached while somebody swaps directories for symlinks.
Paths may be longer than PATH_MAX: they are opened in pieces.
"""

from __future__ import annotations

import errno
import os

from clew.worktree.syscalls import open_beneath

_PIECE = 3500  # bytes of path handed to the kernel at a time
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Root:
    """An open workspace root."""

    def __init__(self, path: bytes, *, cross_mounts: bool = False) -> None:
        self.path = path
        self.descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._cross_mounts = cross_mounts
        self._has_openat2 = True

    def open_directory(self, path: bytes) -> int:
        """Open a directory beneath the root; the caller closes it."""
        return self.open(path, _DIRECTORY)

    def open(self, path: bytes, flags: int) -> int:
        """Open anything beneath the root by its relative path."""
        if not path:
            return os.open(b".", flags & ~os.O_NOFOLLOW, dir_fd=self.descriptor)
        at = self.descriptor
        try:
            *before, last = _pieces(path)
            for piece in before:
                found = self._step(at, piece, _DIRECTORY)
                self._release(at)
                at = found
            return self._step(at, last, flags | os.O_NOFOLLOW)
        finally:
            self._release(at)

    def close(self) -> None:
        os.close(self.descriptor)

    def __enter__(self) -> Root:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _release(self, descriptor: int) -> None:
        if descriptor != self.descriptor:
            os.close(descriptor)

    def _step(self, at: int, piece: bytes, flags: int) -> int:
        if self._has_openat2:
            try:
                return open_beneath(at, piece, flags, cross_mounts=self._cross_mounts)
            except OSError as error:
                if error.errno not in (errno.ENOSYS, errno.EPERM):
                    raise
                self._has_openat2 = False
        return self._step_by_name(at, piece, flags)

    def _step_by_name(self, at: int, piece: bytes, flags: int) -> int:
        """Do what `openat2` does, one name at a time, for kernels and sandboxes without it."""
        *before, last = piece.split(b"/")
        current = at
        try:
            for name in before:
                found = os.open(name, _DIRECTORY, dir_fd=current)
                if current != at:
                    os.close(current)
                current = found
            return os.open(last, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=current)
        finally:
            if current != at:
                os.close(current)


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
