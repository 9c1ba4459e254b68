"""Settings on disk: read with care, written whole, and what was made for them unmade.

A file is replaced by a new one beside it, with the mode and the owner of the old; a link stays a
link.  Directories that had to be made are told, so that they can go again.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from clew.errors import BadSettings

LARGEST = 10_000_000


class Place(NamedTuple):
    """A settings file as it is."""

    path: str
    """What it is called."""
    text: str | None
    """What is in it; None if it does not exist."""


def look(path: str) -> Place:
    """Return what is in a file that we may edit, or raise BadSettings."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        if os.path.islink(path):
            raise BadSettings(path, "it is a link to nothing") from None
        return Place(path, None)
    except NotADirectoryError:
        raise BadSettings(path, "a file stands where its directory is due") from None
    if not stat.S_ISREG(status.st_mode):
        raise BadSettings(path, "it is not a file")
    if status.st_size > LARGEST:
        raise BadSettings(path, "it is larger than 10 MB")
    with open(path, "rb") as file:
        content = file.read(LARGEST + 1)
    try:
        return Place(path, content.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadSettings(path, "it is not UTF-8") from None


def require_ours(path: str) -> None:
    """Raise BadSettings unless the file, or what would hold it, is ours to write."""
    there = os.path.realpath(path)
    if os.path.exists(there) and os.geteuid() not in (0, os.stat(there).st_uid):
        raise BadSettings(path, "it is not yours to write")
    directory = os.path.dirname(there)
    while not os.path.exists(directory):
        directory = os.path.dirname(directory)
    if not os.access(directory, os.W_OK):  # the new file is made beside the old
        raise BadSettings(path, "its directory is not yours to write")


def write(path: str, text: str) -> tuple[str, ...]:
    """Replace a file, or make it with the directories it needs; return the directories made."""
    target = os.path.realpath(path)
    made = _made_directories(os.path.dirname(target))
    number, beside = tempfile.mkstemp(prefix=".clew-", dir=os.path.dirname(target))
    try:
        with open(number, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            _copy_ownership(target, number)
            os.fsync(number)
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        for directory in reversed(made):
            with suppress(OSError):
                os.rmdir(directory)
        raise
    return tuple(made)


def remove(path: str) -> None:
    os.unlink(path)


def remove_empty(directories: Iterable[str]) -> None:
    """Remove those of the directories that are empty, innermost first."""
    for directory in sorted(set(directories), key=len, reverse=True):
        with suppress(OSError):
            os.rmdir(directory)


def _made_directories(directory: str) -> list[str]:
    missing: list[str] = []
    while not os.path.isdir(directory):
        missing.append(directory)
        directory = os.path.dirname(directory)
    for one in reversed(missing):
        os.mkdir(one)
    return missing[::-1]


def _copy_ownership(target: str, number: int) -> None:
    try:
        status = os.stat(target)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(number, 0o666 & ~mask)
        return
    if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(PermissionError):
            os.fchown(number, status.st_uid, status.st_gid)
    os.fchmod(number, stat.S_IMODE(status.st_mode))
