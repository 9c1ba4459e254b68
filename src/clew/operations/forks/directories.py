"""The directories of forks: made whole or not at all, and removed only if they are what they were.

A directory grows under a hidden name beside its place and is moved there when it was proved.
What is on its way in or out is noted in `forks/` of the store, under a lock that dies with its
process: a directory that was noted, and belongs to no workspace, is removed by the next command.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from clew.errors import BadForkPlace
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
"""Seconds by which times of files are rounded, and more."""


class Note:
    """What is known of a directory on its way; on disk before the directory is touched."""

    def __init__(self, path: str, descriptor: int, uuid: bytes) -> None:
        self._path = path
        self._descriptor = descriptor
        os.write(descriptor, uuid.hex().encode() + b"\n")

    def add(self, directory: bytes, inode: int = 0, origin: bytes = b"", moment: int = 0) -> None:
        """Say that a directory belongs to the workspace; zero for one whose name says it all.

        One on its way out comes from `origin`, and what was changed in it since `moment` stays.
        """
        fields = (inode, directory.hex().encode(), origin.hex().encode(), moment)
        os.write(self._descriptor, b"%d %s %s %d\n" % fields)
        os.fsync(self._descriptor)

    def end(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._path)


@contextmanager
def noting(store: Store, uuid: bytes) -> Iterator[Note]:
    """Give a note about a workspace's directories that is gone at the end, however that comes."""
    name = os.urandom(8).hex()
    path = os.path.join(store.layout.forks, _NOTE + name)
    new = os.path.join(store.layout.tmp, name)
    with store.locks.shared(Monitor()):  # a collection sweeps what has no name yet
        descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)  # before anybody can find it
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


def sweep_places(store: Store) -> None:
    """Remove the directories of forks that never came to be, or that are no more."""
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
            continue  # somebody is at work, or it cannot be removed yet
        finally:
            os.close(descriptor)


def _follow(store: Store, path: str) -> None:
    """Do what a note asks for: what it names goes unless the workspace is known."""
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
    """Return when a directory was made, by the filesystem's own clock; None where nobody knows."""
    parent = os.open(os.path.dirname(directory), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return birth_ns(parent, os.path.basename(directory))
    finally:
        os.close(parent)


class Removal(NamedTuple):
    """What came of removing a directory."""

    is_gone: bool
    kept: tuple[bytes, ...] = ()
    """What was changed in it meanwhile, and stays."""


def remove_place(directory: bytes, inode: int, moment: int = 0) -> Removal:
    """Remove a directory if it is the one that is meant, without what was changed since `moment`."""
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
    """Give a directory on its way out a name that nobody knows; return it, and when that was.

    Whoever changes something in it later has had it open.
    """
    path = os.path.join(os.path.dirname(place), _GROWING + os.urandom(8).hex().encode())
    time.sleep(_CLOCK_TICK)  # so that no change of before counts as one of later
    note.add(path, inode, place)
    os.rename(place, path)
    found = os.stat(path)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))  # which sets its ctime and no more
    moment = os.stat(path).st_ctime_ns
    note.add(path, inode, place, moment)
    return path, moment


def put_back(directory: bytes, origin: bytes) -> bytes:
    """Give a directory its name again, unless something else has it; return where it is."""
    if os.path.lexists(directory) and not os.path.lexists(origin):
        os.rename(directory, origin)
        return origin
    return directory


def grown_beside(place: bytes, note: Note) -> bytes:
    """Make an empty directory under a name of its own, from where it can be moved to `place`."""
    path = os.path.join(os.path.dirname(place), _GROWING + os.urandom(8).hex().encode())
    note.add(path)
    os.mkdir(path, 0o700)
    return path


def move_into_place(grown: bytes, place: bytes) -> None:
    """Put a directory where it belongs; of all that may be there, only an empty one gives way."""
    try:
        os.rename(grown, place)
    except OSError as error:
        raise BadForkPlace(os.fsdecode(place), "something came to be there meanwhile") from error


# Where a fork may grow


def resolved_place(text: str) -> bytes:
    """Return a directory that need not exist as an absolute path without links."""
    path = normal_path(os.path.join(os.getcwdb(), os.fsencode(text)))
    if os.path.lexists(path):
        return real_path(path)
    return os.path.join(real_path(os.path.dirname(path)), os.path.basename(path))


def require_place(context: Context, place: bytes) -> None:
    """Refuse a directory in which no fork can grow, with the reason."""
    why = _why_not(context, place)
    if why:
        raise BadForkPlace(os.fsdecode(place), why)


def reserve_managed(store: Store, name: str, note: Note) -> bytes:
    """Make an empty directory in the store for a fork of some name, and return its path."""
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
        return "it lies in the store" if is_inside(place, store) else "it holds the store"
    if not os.path.isdir(os.path.dirname(place)):
        return "the directory above is not there"
    if any(mount.point == place for mount in read_mounts()):
        return "it is a mount point"
    if os.path.lexists(place) and not os.path.isdir(place):
        return "something is there"
    return "it is not empty" if os.path.isdir(place) and os.listdir(place) else ""


def _clash(context: Context, info: WorkspaceInfo, place: bytes) -> str:
    """Say how a place and a workspace get into each other's way."""
    is_source = info.uuid == context.workspace
    whose = "the workspace itself" if is_source else "another workspace"
    if not info.path:
        return ""
    if is_inside(info.path, place):
        return f"it holds {whose}"
    # A whole machine holds every project, and is used to it; but not its own fork.
    if is_inside(place, info.path) and (is_source or not info.machine):
        return f"it lies in {whose}"
    return ""


def is_inside(path: bytes, directory: bytes) -> bool:
    """Tell whether an absolute path is a directory or lies in it."""
    return path == directory or path.startswith(directory.rstrip(b"/") + b"/")
