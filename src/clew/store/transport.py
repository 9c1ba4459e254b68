"""Storage backend for packs: write-once files below one directory.

The interface is minimal so that another backend (S3, for example) is one short file.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence

from clew.atomic_write import replace_file
from clew.errors import StoreFull, StoreReadOnly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

_UNSETTLED, _SETTLED = 0o400, 0o600


class Transport(Protocol):
    """Write-once files, addressed by plain names."""

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return at most `length` bytes from `offset`; raise `FileNotFoundError` if there is no file."""

    def write_new(self, name: str, parts: Sequence[bytes]) -> None:
        """Write a file durably and atomically: it appears complete or not at all."""

    def names(self) -> Iterator[str]:
        """Yield the name of every file."""

    def size(self, name: str) -> int:
        """Return the length of a file."""

    def settle(self, name: str) -> None:
        """Mark a file as committed to the catalogue; failures are ignored."""

    def is_settled(self, name: str) -> bool:
        """Return whether `settle` was called: then only a damaged catalogue does not name the file."""

    def remove(self, name: str) -> None:
        """Remove a file; do nothing if it does not exist."""

    def close(self) -> None:
        """Close cached descriptors; files are reopened when needed."""


class LocalTransport:
    """Files in a directory, staged in another directory of the same filesystem."""

    def __init__(self, directory: str, staging: str) -> None:
        self._directory = directory
        self._staging = staging
        self._open: dict[str, int] = {}

    def read(self, name: str, offset: int, length: int) -> bytes:
        descriptor = self._open.get(name)
        if descriptor is None:
            descriptor = os.open(os.path.join(self._directory, name), os.O_RDONLY | os.O_CLOEXEC)
            if len(self._open) >= 16:
                os.close(self._open.pop(next(iter(self._open))))
            self._open[name] = descriptor
        return os.pread(descriptor, length, offset)

    def write_new(self, name: str, parts: Sequence[bytes]) -> None:
        target = os.path.join(self._directory, name)
        temporary = os.path.join(self._staging, name)
        try:
            replace_file(target, parts, _UNSETTLED, sync=True, temporary=temporary)
        except OSError as error:
            _unlink_quietly(target)  # renamed, and its name not synced
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise StoreFull(os.path.dirname(self._directory)) from error
            if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
                raise StoreReadOnly(os.path.dirname(self._directory)) from error
            raise

    def names(self) -> Iterator[str]:
        with os.scandir(self._directory) as entries:
            for entry in entries:
                yield entry.name

    def size(self, name: str) -> int:
        return os.stat(os.path.join(self._directory, name)).st_size

    def settle(self, name: str) -> None:
        try:
            os.chmod(os.path.join(self._directory, name), _SETTLED)
        except OSError:
            pass

    def is_settled(self, name: str) -> bool:
        return os.stat(os.path.join(self._directory, name)).st_mode & 0o777 != _UNSETTLED

    def remove(self, name: str) -> None:
        descriptor = self._open.pop(name, None)
        if descriptor is not None:
            os.close(descriptor)
        _unlink_quietly(os.path.join(self._directory, name))

    def close(self) -> None:
        while self._open:
            os.close(self._open.popitem()[1])


def _unlink_quietly(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
