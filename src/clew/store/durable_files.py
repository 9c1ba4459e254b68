"""Durable files: written and synced under a temporary name, then renamed.

The order is what survives a power cut: the data of the file, its new name, the directory that
holds the name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable


def write_synced(path: str, parts: Iterable[bytes], mode: int = 0o600) -> None:
    """Create a file and write `parts` to it; on return the data is on disk, the name may not be."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, mode)
    try:
        for part in parts:
            view = memoryview(part)
            while view:
                view = view[os.write(descriptor, view) :]
        os.fdatasync(descriptor)
    finally:
        os.close(descriptor)


def rename_synced(temporary: str, target: str) -> None:
    """Rename a synced file; on return its name is on disk, too."""
    os.rename(temporary, target)
    sync_directory(os.path.dirname(target))


def sync_directory(path: str) -> None:
    """Make the entries of a directory durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
