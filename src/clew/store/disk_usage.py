"""Disk usage of a store: allocated bytes of its parts, counted as `du` counts them."""

from __future__ import annotations

import os
from contextlib import suppress

from clew.model.results import StorePart
from clew.store.layout import Layout

_BLOCK = 512
_PARTS = {
    "packs": StorePart.PACKS,
    "backup": StorePart.CATALOGUE,
    "catalog.db": StorePart.CATALOGUE,
    "catalog.db-wal": StorePart.CATALOGUE,
    "cache": StorePart.CACHES,
    "forks": StorePart.FORKS,
    "copies": StorePart.COPIES,
    "reserve": StorePart.RESERVE,
}
"""The part of each name in the store's directory; everything else is `other`."""
_TRANSIENT = ("catalog.db-shm",)
"""Exists while a command has the catalogue open, as this one has."""


def disk_usage(layout: Layout) -> tuple[tuple[str, int], ...]:
    """Return the allocated bytes of each part of a store; a file with many links counts once."""
    found = dict.fromkeys(StorePart.ALL, 0)
    seen: set[tuple[int, int]] = set()
    found[StorePart.OTHER] += _allocated(layout.root, seen)
    for name in os.listdir(layout.root):
        if name not in _TRANSIENT:
            part = _PARTS.get(name, StorePart.OTHER)
            found[part] += _below(os.path.join(layout.root, name), seen)
    return tuple(found.items())


def _below(path: str, seen: set[tuple[int, int]]) -> int:
    """Return the allocated bytes of a file, or of a directory and everything below it."""
    total = _allocated(path, seen)
    if not os.path.islink(path):
        for directory, folders, names in os.walk(path):
            total += sum(
                _allocated(os.path.join(directory, one), seen) for one in (*folders, *names)
            )
    return total


def _allocated(path: str, seen: set[tuple[int, int]]) -> int:
    with suppress(OSError):  # removed by another process
        found = os.lstat(path)
        key = (found.st_dev, found.st_ino)
        if key not in seen:
            seen.add(key)
            return found.st_blocks * _BLOCK
    return 0
