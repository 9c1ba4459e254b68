"""LRU cache of open directories: files of one directory are mostly created one after another."""

from __future__ import annotations

import os
from collections import OrderedDict

from clew.worktree.root import Root

_LIMIT = 64


class OpenDirectories:
    """Directories beneath a root by path, at most `_LIMIT` of them open at a time."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._open: OrderedDict[bytes, int] = OrderedDict()

    def get(self, path: bytes) -> int:
        """Return an open directory; the caller must not close it."""
        descriptor = self._open.get(path)
        if descriptor is not None:
            self._open.move_to_end(path)
            return descriptor
        descriptor = self._open[path] = self._root.open_directory(path)
        if len(self._open) > _LIMIT:
            os.close(self._open.popitem(last=False)[1])
        return descriptor

    def close(self) -> None:
        while self._open:
            os.close(self._open.popitem()[1])
