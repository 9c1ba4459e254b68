"""Settings on disk: read with care, written whole, and what was made for them unmade.

A file is replaced by a new one beside it, with the mode and the owner of the old; a link stays a
link.  Directories that had to be made are told, so that they can go again.

Files of a project may have been planted there by whoever wrote it.  So `within`, the project's
directory, bounds where a link may lead, and everything is opened from that directory without
following a link, so that nobody can put one in the way afterwards.  A person's own settings may be
linked to wherever that person keeps them: there `within` is None.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from clew.errors import BadSettings
from clew.worktree.root import Root

LARGEST = 10_000_000

_LOOK = os.O_PATH
_READ = os.O_RDONLY | os.O_NONBLOCK
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class SettingsFile(NamedTuple):
    """A settings file as it is."""

    path: str
    """What it is called."""
    text: str | None
    """What is in it; None if it does not exist."""


class _Spot(NamedTuple):
    """Where a path really leads."""

    base: str
    """A directory that exists, and that is opened by its path."""
    names: tuple[str, ...]
    """The names from there on, none of them a link."""


def look(path: str, within: str | None = None) -> SettingsFile:
    """Return what is in a file that we may edit, or raise BadSettings."""
    spot = _spot(path, within)
    try:
        content = _content(path, spot)
    except FileNotFoundError:
        if os.path.islink(path):
            raise BadSettings(path, "it is a link to nothing") from None
        return SettingsFile(path, None)
    except NotADirectoryError:
        raise BadSettings(path, "a file stands where its directory is due") from None
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise BadSettings(path, "its links lead nowhere") from None
    try:
        return SettingsFile(path, content.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadSettings(path, "it is not UTF-8") from None


def mentions(path: str, word: bytes) -> bool:
    """Tell whether a word is in a file, whatever else is; False where it cannot be read."""
    try:
        return word in _content(path, _spot(path, None))
    except (BadSettings, OSError):
        return False


def require_ours(path: str, within: str | None = None) -> None:
    """Raise BadSettings unless the file, or what would hold it, is ours to write."""
    spot = _spot(path, within)
    there = os.path.join(spot.base, *spot.names)
    if os.path.lexists(there) and os.geteuid() not in (0, os.lstat(there).st_uid):
        raise BadSettings(path, "it is not yours to write")
    directory = os.path.dirname(there)
    while not os.path.exists(directory):
        directory = os.path.dirname(directory)
    if not os.access(directory, os.W_OK):  # the new file is made beside the old
        raise BadSettings(path, "its directory is not yours to write")


def write(path: str, text: str, within: str | None = None) -> tuple[str, ...]:
    """Replace a file, or make it with the directories it needs; return the directories made."""
    spot = _spot(path, within)
    name = spot.names[-1]
    made: list[str] = []
    try:
        with _parent(spot, made) as parent:
            _replace(parent, name, text.encode("utf-8"))
    except BaseException as error:
        remove_empty(made, within)
        if isinstance(error, OSError) and error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise BadSettings(path, "somebody changed its directory meanwhile") from error
        raise
    return tuple(made)


def remove(path: str, within: str | None = None) -> None:
    """Remove a file; a link itself, never what it leads to."""
    directory = _spot(os.path.dirname(path), within)
    with _opened(directory) as parent:
        os.unlink(os.path.basename(path), dir_fd=parent)


def remove_empty(directories: Iterable[str], within: str | None = None) -> None:
    """Remove those of the directories that are empty, innermost first."""
    for directory in sorted(set(directories), key=len, reverse=True):
        with suppress(OSError, BadSettings):
            if within is None:
                os.rmdir(directory)
            else:
                with _opened(_spot(os.path.dirname(directory), within)) as parent:
                    os.rmdir(os.path.basename(directory), dir_fd=parent)


def _spot(path: str, within: str | None) -> _Spot:
    """Follow the links of a path, or raise BadSettings if they lead out of `within`."""
    real = os.path.realpath(path)
    if within is None:
        base = os.path.dirname(real)
        while not os.path.isdir(base):
            base = os.path.dirname(base)
    else:
        base = os.path.realpath(within)
        if real != base and not real.startswith(base.rstrip("/") + "/"):
            raise BadSettings(path, f"it leads out of the project, to {real!r}")
    return _Spot(base, tuple(name for name in real[len(base) :].split("/") if name))


def _content(path: str, spot: _Spot) -> bytes:
    """Return what is in a file; what is no file, or is too large, is not opened."""
    with Root(os.fsencode(spot.base), cross_mounts=True) as root:
        relative = os.fsencode("/".join(spot.names))
        seen = root.open(relative, _LOOK)
        try:
            status = os.fstat(seen)
        finally:
            os.close(seen)
        if stat.S_ISLNK(status.st_mode):
            raise BadSettings(path, "its links lead nowhere")
        if not stat.S_ISREG(status.st_mode):
            raise BadSettings(path, "it is not a file")
        if status.st_size > LARGEST:
            raise BadSettings(path, "it is larger than 10 MB")
        with os.fdopen(root.open(relative, _READ), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadSettings(path, "it is not a file")
            return file.read(LARGEST + 1)


@contextmanager
def _opened(spot: _Spot) -> Iterator[int]:
    with Root(os.fsencode(spot.base), cross_mounts=True) as root:
        descriptor = root.open_directory(os.fsencode("/".join(spot.names)))
        try:
            yield descriptor
        finally:
            os.close(descriptor)


@contextmanager
def _parent(spot: _Spot, made: list[str]) -> Iterator[int]:
    """Give the directory of a file, made where it is missing; what was made is added to `made`."""
    above = _Spot(spot.base, ())
    for name in spot.names[:-1]:
        below = _Spot(spot.base, (*above.names, name))
        with _opened(above) as directory, suppress(FileExistsError):
            os.mkdir(name, dir_fd=directory)
            made.append(os.path.join(spot.base, *below.names))
        above = below
    with _opened(above) as directory:
        yield directory


def _replace(parent: int, name: str, content: bytes) -> None:
    beside = f".clew-{os.urandom(8).hex()}"
    with os.fdopen(os.open(beside, _MAKE, 0o600, dir_fd=parent), "wb") as file:
        try:
            file.write(content)
            file.flush()
            _copy_ownership(parent, name, file.fileno())
            os.fsync(file.fileno())
            os.replace(beside, name, src_dir_fd=parent, dst_dir_fd=parent)
        except BaseException:
            with suppress(OSError):
                os.unlink(beside, dir_fd=parent)
            raise


def _copy_ownership(parent: int, name: str, number: int) -> None:
    try:
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(number, 0o666 & ~mask)
        return
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
    if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(PermissionError):
            os.fchown(number, status.st_uid, status.st_gid)
    os.fchmod(number, stat.S_IMODE(status.st_mode))
