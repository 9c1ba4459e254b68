"""Archive extraction: unpacks an untrusted tar archive into an empty directory.

Every name must resolve below that directory.  Directories and files are created first, in a tree
without links, and links last, so nothing is ever written through one; link targets are not
checked.  Devices, pipes and hard links are refused.  The current user owns all files, and set-id
bits are dropped.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from typing import IO

_RIGHTS = 0o777
_READABLE = 0o400
_OPEN = 0o700
"""Permissions that we need to read and to remove what was unpacked."""
_SECOND_NS = 1_000_000_000


class BadArchive(ValueError):
    """An archive that is damaged, or contains a refused kind of entry."""


def unpack(archive: IO[bytes], directory: bytes) -> None:
    """Unpack a tar archive into an empty directory."""
    try:
        _Unpacking(directory).unpack(archive)
    except (
        tarfile.TarError,
        EOFError,
        NotADirectoryError,
        FileExistsError,
        IsADirectoryError,
    ) as error:
        raise BadArchive(f"Cannot unpack the archive: {error}") from error


class _Unpacking:
    def __init__(self, directory: bytes) -> None:
        self._directory = directory
        self._directories: dict[bytes, tarfile.TarInfo] = {}
        self._links: list[tuple[bytes, tarfile.TarInfo]] = []

    def unpack(self, archive: IO[bytes]) -> None:
        with tarfile.open(fileobj=archive, mode="r|*") as tar:
            for member in tar:
                self._take(tar, member)
        for path, member in self._links:
            self._make_parents(path)
            os.symlink(os.fsencode(member.linkname), path)
            os.utime(path, ns=_times(member), follow_symlinks=False)
        for path in sorted(self._directories, reverse=True):  # deepest first
            member = self._directories[path]
            os.chmod(path, member.mode & _RIGHTS | _OPEN)
            os.utime(path, ns=_times(member))

    def _take(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        path = self._path(member)
        if member.isdir():
            self._make_directory(path)
            self._directories[path] = member
        elif member.issym():
            self._links.append((path, member))
        elif member.isreg():
            self._make_parents(path)
            self._write(tar, member, path)
        else:
            raise BadArchive(f"Not a file, directory or symlink: {member.name!r}")

    def _path(self, member: tarfile.TarInfo) -> bytes:
        """Return the target path of a member, which must be below the directory."""
        name = os.fsencode(member.name)
        parts = [part for part in name.split(b"/") if part not in (b"", b".")]
        if name.startswith(b"/") or b".." in parts or b"\x00" in name:
            raise BadArchive(f"Name outside the directory: {member.name!r}")
        if not parts and not member.isdir():
            raise BadArchive(f"Not a directory: {member.name!r}")
        return os.path.join(self._directory, *parts)

    def _write(self, tar: tarfile.TarFile, member: tarfile.TarInfo, path: bytes) -> None:
        content = tar.extractfile(member)
        assert content is not None
        if os.path.lexists(path):  # a name that occurs twice: the later member wins
            os.unlink(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(path, flags, 0o600), "wb") as file:
            shutil.copyfileobj(content, file, 1 << 20)
            os.fchmod(file.fileno(), member.mode & _RIGHTS | _READABLE)
        os.utime(path, ns=_times(member))

    def _make_parents(self, path: bytes) -> None:
        self._make_directory(os.path.dirname(path))

    def _make_directory(self, path: bytes) -> None:
        """Create a directory and its parents; refuse a symlink in its place."""
        if len(path) <= len(self._directory):
            return
        self._make_directory(os.path.dirname(path))
        if os.path.islink(path):
            raise BadArchive(f"Name below a symlink: {os.fsdecode(path)!r}")
        if not os.path.isdir(path):
            os.mkdir(path, 0o700)


def _times(member: tarfile.TarInfo) -> tuple[int, int]:
    at = round(member.mtime * _SECOND_NS)
    return at, at
