"""Directories of forks: created whole or not at all, and removed only if unchanged.

A directory is written under a hidden name beside its place, and moved there after verification.
A directory on its way in or out has a note in `forks/` of the store, under a lock that ends with
its process: one that has a note and belongs to no workspace is removed by the next command.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from clew.atomic_write import write_all
from clew.errors import BadForkDirectory
from clew.filenames import normal_path, real_path
from clew.model.checkpoint import WorkspaceInfo
from clew.model.named_tuple import NamedTuple
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.store.store import Store
from clew.worktree.mounts import read_mounts
from clew.worktree.remove_tree import remove_tree
from clew.worktree.syscalls import birth_ns

_NOTE = ".note-"
_GROWING = b".clew-fork-"
_CLOCK_TICK = 0.02
"""Seconds by which file times are rounded, and more."""


class Note:
    """The note of a directory on its way; on disk before the directory is touched."""

    def __init__(self, path: str, descriptor: int, uuid: bytes) -> None:
        self._path = path
        self._descriptor = descriptor
        write_all(descriptor, uuid.hex().encode() + b"\n")

    def add(self, directory: bytes, inode: int = 0, origin: bytes = b"", moment: int = 0) -> None:
        """Record that a directory belongs to the workspace; zero for one that its name identifies.

        One on its way out comes from `origin`, and what changed in it since `moment` stays.
        """
        fields = (inode, directory.hex().encode(), origin.hex().encode(), moment)
        write_all(self._descriptor, b"%d %s %s %d\n" % fields)
        os.fsync(self._descriptor)

    def end(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._path)


@contextmanager
def noting(store: Store, uuid: bytes) -> Iterator[Note]:
    """Provide a note about a workspace's directories, removed at the end in any case."""
    name = os.urandom(8).hex()
    path = os.path.join(store.layout.forks, _NOTE + name)
    new = os.path.join(store.layout.tmp, name)
    with store.locks.shared(Monitor()):  # a collection sweeps files without a name
        descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)  # before another process can find it
            note = Note(path, descriptor, uuid)
            os.rename(new, path)
        except BaseException:
            os.close(descriptor)
            raise
    try:
        yield note
        note.end()
    except BaseException:
        with suppress(OSError):
            _follow(store, path)
        raise
    finally:
        os.close(descriptor)


def sweep_directories(store: Store) -> None:
    """Remove directories of forks that were not created completely, or no longer exist."""
    for name in os.listdir(store.layout.forks):
        if not name.startswith(_NOTE):
            continue
        path = os.path.join(store.layout.forks, name)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _follow(store, path)
        except OSError:
            continue  # in use, or it cannot be removed yet
        finally:
            os.close(descriptor)


def _follow(store: Store, path: str) -> None:
    """Act on a note: remove what it names, unless the workspace is known."""
    with open(path, "rb") as file:
        uuid, *lines = file.read().split(b"\n")
    noted: dict[tuple[bytes, int], tuple[bytes, int]] = {}
    for line in lines:
        inode, directory, origin, moment, *_ = (*line.split(b" "), b"", b"", b"")
        if directory:
            found = bytes.fromhex(directory.decode())
            noted[found, int(inode)] = (bytes.fromhex(origin.decode()), int(moment or 0))
    is_gone = len(uuid) == 32 and store.workspaces.get(bytes.fromhex(uuid.decode())) is None
    for (directory, number), (origin, moment_ns) in noted.items():
        if is_gone:
            remove_place(directory, number, moment_ns)
        if origin:
            put_back(directory, origin)
    os.unlink(path)


def birth_of(directory: bytes) -> int | None:
    """Return the creation time of a directory, by the filesystem's clock; None if unknown."""
    parent = os.open(os.path.dirname(directory), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return birth_ns(parent, os.path.basename(directory))
    finally:
        os.close(parent)


class Removal(NamedTuple):
    """The result of removing a directory."""

    is_gone: bool
    kept: tuple[bytes, ...] = ()
    """What changed in it meanwhile, and stays."""


def remove_place(directory: bytes, inode: int, moment: int = 0) -> Removal:
    """Remove a directory if it is the right one, except what changed since `moment`."""
    try:
        found = os.lstat(directory)
    except OSError:
        return Removal(True)
    is_meant = found.st_ino == inode or os.path.basename(directory).startswith(_GROWING)
    if not stat.S_ISDIR(found.st_mode) or not is_meant:
        return Removal(False)
    kept = remove_tree(
        os.path.dirname(directory), os.path.basename(directory), moment if moment else None
    )
    return Removal(not os.path.lexists(directory), tuple(kept))


def move_aside(place: bytes, inode: int, note: Note) -> tuple[bytes, int]:
    """Rename a directory on its way out to a hidden name; return it, and the time of that.

    A later change in it comes from a process that had it open.
    """
    path = os.path.join(os.path.dirname(place), _GROWING + os.urandom(8).hex().encode())
    time.sleep(_CLOCK_TICK)  # so that no earlier change counts as a later one
    note.add(path, inode, place)
    os.rename(place, path)
    found = os.stat(path)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))  # sets its ctime and nothing else
    moment = os.stat(path).st_ctime_ns
    note.add(path, inode, place, moment)
    return path, moment


def put_back(directory: bytes, origin: bytes) -> bytes:
    """Give a directory its name back, unless it is taken; return where it is."""
    if os.path.lexists(directory) and not os.path.lexists(origin):
        os.rename(directory, origin)
        return origin
    return directory


def grown_beside(place: bytes, note: Note) -> bytes:
    """Create an empty directory under a hidden name, from which it can be moved to `place`."""
    path = os.path.join(os.path.dirname(place), _GROWING + os.urandom(8).hex().encode())
    note.add(path)
    os.mkdir(path, 0o700)
    return path


def move_into_place(grown: bytes, place: bytes) -> None:
    """Move a directory into place; only an empty directory there is replaced."""
    try:
        os.rename(grown, place)
    except OSError as error:
        raise BadForkDirectory(
            os.fsdecode(place), "created by another process meanwhile"
        ) from error


# Where a fork may be


def resolved_place(text: str) -> bytes:
    """Return the absolute path, without symlinks, of a directory that need not exist."""
    path = normal_path(os.path.join(os.getcwdb(), os.fsencode(text)))
    if os.path.lexists(path):
        return real_path(path)
    return os.path.join(real_path(os.path.dirname(path)), os.path.basename(path))


def require_place(context: Context, place: bytes) -> None:
    """Refuse a directory that cannot hold a fork, with the reason."""
    why = _why_not(context, place)
    if why:
        raise BadForkDirectory(os.fsdecode(place), why)


def reserve_managed(store: Store, name: str, note: Note) -> bytes:
    """Create an empty directory in the store for a fork of that name, and return its path."""
    forks = real_path(os.fsencode(store.layout.forks))
    place, number = os.path.join(forks, os.fsencode(name)), 1
    while True:
        try:
            os.mkdir(place, 0o700)
        except FileExistsError:
            number += 1
            place = os.path.join(forks, os.fsencode(f"{name}-{number}"))
            continue
        note.add(place, os.stat(place).st_ino)
        return place


def _why_not(context: Context, place: bytes) -> str:
    store = real_path(os.fsencode(context.store.layout.root))
    clashes = [_clash(context, info, place) for info in context.store.workspaces.all()]
    if any(clashes):
        return next(filter(None, clashes))
    if is_inside(place, store) or is_inside(store, place):
        return "inside the store" if is_inside(place, store) else "contains the store"
    if not os.path.isdir(os.path.dirname(place)):
        return "parent directory does not exist"
    if any(mount.point == place for mount in read_mounts()):
        return "mount point"
    if os.path.lexists(place) and not os.path.isdir(place):
        return "not a directory"
    return "not empty" if os.path.isdir(place) and os.listdir(place) else ""


def _clash(context: Context, info: WorkspaceInfo, place: bytes) -> str:
    """Describe how a path and a workspace overlap."""
    is_source = info.uuid == context.workspace
    whose = "the workspace" if is_source else "another workspace"
    if not info.path:
        return ""
    if is_inside(info.path, place):
        return f"contains {whose}"
    # A whole machine contains every project; but it must not contain its own fork.
    if is_inside(place, info.path) and (is_source or not info.machine):
        return f"inside {whose}"
    return ""


def is_inside(path: bytes, directory: bytes) -> bool:
    """Return whether an absolute path is a directory or lies below it."""
    return path == directory or path.startswith(directory.rstrip(b"/") + b"/")
