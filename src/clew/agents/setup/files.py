"""Settings files: read them safely, replace them atomically, and remove what was created.

A file is replaced by a new one beside it, with the mode and owner of the old; a link remains a
link.  `write` returns the directories that it created, so that `disable` can remove them.

A project's files are untrusted.  So `within`, the project's directory, limits where a link may
lead, and every path is opened from that directory without following links, so that none can be
swapped in afterwards.  User settings may be linked anywhere: for them `within` is None.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from clew.atomic_write import replace_file
from clew.errors import BadAgentSettings
from clew.worktree.root import Root

LARGEST = 10_000_000

_STAT_ONLY = os.O_PATH
_READ = os.O_RDONLY | os.O_NONBLOCK


class SettingsFile(NamedTuple):
    """A settings file and its content."""

    path: str
    text: str | None
    """None if the file does not exist."""


class _ResolvedPath(NamedTuple):
    """A path with all links resolved."""

    base: str
    """An existing directory, opened by its path."""
    names: tuple[str, ...]
    """The names below it, none of them a link."""


def read(path: str, within: str | None = None) -> SettingsFile:
    """Return the content of a file that we may edit, or raise BadAgentSettings."""
    resolved = _resolve(path, within)
    try:
        content = _read_content(path, resolved)
    except FileNotFoundError:
        if os.path.islink(path):
            raise BadAgentSettings(path, "symbolic link to a missing file") from None
        return SettingsFile(path, None)
    except NotADirectoryError:
        raise BadAgentSettings(path, "its parent is not a directory") from None
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise BadAgentSettings(path, "circular symbolic links") from None
    try:
        return SettingsFile(path, content.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadAgentSettings(path, "not UTF-8") from None


def mentions(path: str, word: bytes) -> bool:
    """Return whether a file contains `word`; False if it cannot be read."""
    try:
        return word in _read_content(path, _resolve(path, None))
    except (BadAgentSettings, OSError):
        return False


def require_writable(path: str, within: str | None = None) -> None:
    """Raise BadAgentSettings unless we own the file and can write to its directory."""
    resolved = _resolve(path, within)
    there = os.path.join(resolved.base, *resolved.names)
    if os.path.lexists(there) and os.geteuid() not in (0, os.lstat(there).st_uid):
        raise BadAgentSettings(path, "owned by another user")
    directory = os.path.dirname(there)
    while not os.path.exists(directory):
        directory = os.path.dirname(directory)
    if not os.access(directory, os.W_OK):  # the new file is created beside the old
        raise BadAgentSettings(path, "directory not writable")


def write(path: str, text: str, within: str | None = None) -> tuple[str, ...]:
    """Replace or create a file, and return the directories that were created for it."""
    resolved = _resolve(path, within)
    name = resolved.names[-1]
    created: list[str] = []
    try:
        with _open_parent(resolved, created) as parent:
            replace_file(
                name,
                [text.encode("utf-8")],
                sync=True,
                dir_fd=parent,
                prepare=lambda descriptor: _copy_ownership(parent, name, descriptor),
            )
    except BaseException as error:
        remove_empty(created, within)
        if isinstance(error, OSError) and error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise BadAgentSettings(path, "its directory changed during the write") from error
        raise
    return tuple(created)


def remove(path: str, within: str | None = None) -> None:
    """Remove a file; of a link, the link and not its target."""
    directory = _resolve(os.path.dirname(path), within)
    with _open_directory(directory) as parent:
        os.unlink(os.path.basename(path), dir_fd=parent)


def remove_empty(directories: Iterable[str], within: str | None = None) -> None:
    """Remove the empty ones of some directories, innermost first."""
    for directory in sorted(set(directories), key=len, reverse=True):
        with suppress(OSError, BadAgentSettings):
            if within is None:
                os.rmdir(directory)
            else:
                with _open_directory(_resolve(os.path.dirname(directory), within)) as parent:
                    os.rmdir(os.path.basename(directory), dir_fd=parent)


def _resolve(path: str, within: str | None) -> _ResolvedPath:
    """Resolve the links of a path, or raise BadAgentSettings if they lead out of `within`."""
    real = os.path.realpath(path)
    if within is None:
        base = os.path.dirname(real)
        while not os.path.isdir(base):
            base = os.path.dirname(base)
    else:
        base = os.path.realpath(within)
        if real != base and not real.startswith(base.rstrip("/") + "/"):
            raise BadAgentSettings(path, f"symbolic link out of the project, to {real!r}")
    return _ResolvedPath(base, tuple(name for name in real[len(base) :].split("/") if name))


def _read_content(path: str, resolved: _ResolvedPath) -> bytes:
    """Return the content of a file; only a regular file of limited size is opened."""
    with Root(os.fsencode(resolved.base), cross_mounts=True) as root:
        relative = os.fsencode("/".join(resolved.names))
        seen = root.open(relative, _STAT_ONLY)
        try:
            status = os.fstat(seen)
        finally:
            os.close(seen)
        if stat.S_ISLNK(status.st_mode):
            raise BadAgentSettings(path, "circular symbolic links")
        if not stat.S_ISREG(status.st_mode):
            raise BadAgentSettings(path, "not a regular file")
        if status.st_size > LARGEST:
            raise BadAgentSettings(path, "larger than 10 MB")
        with os.fdopen(root.open(relative, _READ), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadAgentSettings(path, "not a regular file")
            return file.read(LARGEST + 1)


@contextmanager
def _open_directory(resolved: _ResolvedPath) -> Iterator[int]:
    with Root(os.fsencode(resolved.base), cross_mounts=True) as root:
        descriptor = root.open_directory(os.fsencode("/".join(resolved.names)))
        try:
            yield descriptor
        finally:
            os.close(descriptor)


@contextmanager
def _open_parent(resolved: _ResolvedPath, created: list[str]) -> Iterator[int]:
    """Open the directory of a file; missing ones are created and appended to `created`."""
    above = _ResolvedPath(resolved.base, ())
    for name in resolved.names[:-1]:
        below = _ResolvedPath(resolved.base, (*above.names, name))
        with _open_directory(above) as directory, suppress(FileExistsError):
            os.mkdir(name, dir_fd=directory)
            created.append(os.path.join(resolved.base, *below.names))
        above = below
    with _open_directory(above) as directory:
        yield directory


def _copy_ownership(parent: int, name: str, number: int) -> None:
    """Copy mode and owner of the old file, or raise OSError if it is not a regular file."""
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
