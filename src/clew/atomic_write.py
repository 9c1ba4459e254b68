"""Atomic file writes: a file is written under a temporary name and renamed when it is complete.

A reader sees the old content or the new one, never a part; a failed write leaves the old file.
With `sync` the order survives a power cut: the data of the file, its new name, the directory that
holds the name.

The temporary file is created exclusively, so a file or link that another process put there is
never opened.  A link at the target is replaced, not followed.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def replace_file(
    path: str | bytes,
    parts: Iterable[bytes],
    mode: int = 0o600,
    *,
    sync: bool = False,
    temporary: str | bytes | None = None,
    dir_fd: int | None = None,
    prepare: Callable[[int], object] | None = None,
) -> None:
    """Create a file or replace the one at `path`.

    `temporary` is a name on the same filesystem that no other process uses; by default a random one
    beside the target, which scans skip as they skip a stage.
    """
    new = _name_beside(path) if temporary is None else temporary
    write_new(new, parts, mode, sync=sync, dir_fd=dir_fd, prepare=prepare)
    try:
        os.rename(new, path, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
    except BaseException:
        _unlink(new, dir_fd)
        raise
    if sync:
        sync_directory(os.path.dirname(path) or ".", dir_fd)


def write_new(
    path: str | bytes,
    parts: Iterable[bytes],
    mode: int = 0o600,
    *,
    sync: bool = False,
    dir_fd: int | None = None,
    prepare: Callable[[int], object] | None = None,
) -> None:
    """Create a file, or raise FileExistsError; it is removed again if not all of it can be written.

    `mode` is reduced by the umask, as for `open`.  `prepare` gets the descriptor before the sync, to
    set the owner, for example.  After a sync the data is on disk; the name may not be.
    """
    descriptor = os.open(path, _NEW_FILE, mode, dir_fd=dir_fd)
    try:
        try:
            for part in parts:
                write_all(descriptor, part)
            if prepare is not None:
                prepare(descriptor)
            if sync:
                os.fdatasync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        _unlink(path, dir_fd)
        raise


def write_all(descriptor: int, content: bytes) -> None:
    """Write all of `content` to a descriptor: one `write` may take less."""
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def rename_synced(temporary: str, target: str) -> None:
    """Rename a synced file; on return its name is on disk, too."""
    os.rename(temporary, target)
    sync_directory(os.path.dirname(target))


def sync_directory(path: str | bytes, dir_fd: int | None = None) -> None:
    """Make the entries of a directory durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=dir_fd)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _name_beside(path: str | bytes) -> str | bytes:
    """Return a random name in the directory of `path`."""
    name = f".clew-{os.urandom(8).hex()}"
    if isinstance(path, str):
        return os.path.join(os.path.dirname(path), name)
    return os.path.join(os.path.dirname(path), name.encode())


def _unlink(path: str | bytes, dir_fd: int | None) -> None:
    try:
        os.unlink(path, dir_fd=dir_fd)
    except OSError:
        pass  # the error of the write is the one to report
