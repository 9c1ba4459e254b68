"""Workspace for asynchronous code: calls run in threads, one at a time, off the event loop."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

import anyio.to_thread

from clew.filenames import as_argument
from clew.opening import open as open_workspace
from clew.places import StrPath
from clew.workspace import Workspace

T = TypeVar("T")

Where = StrPath | Workspace


class AsyncWorkspace:
    """A workspace with its own connection to the store, opened on first use."""

    def __init__(self, where: Where) -> None:
        if isinstance(where, Workspace):
            self._path: StrPath = as_argument(where.info.path)
            self._store: StrPath | None = where.store.path
        else:
            self._path, self._store = where, None
        self._opened: Workspace | None = None
        self._lock = Lock()

    async def do(self, what: Callable[[Workspace], T]) -> T:
        """Call `what` with the workspace in a thread, one call at a time."""

        def in_turn() -> T:
            with self._lock:
                return what(self._workspace())

        return await anyio.to_thread.run_sync(in_turn)

    def close(self) -> None:
        """Close the store; the next call opens it again."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _workspace(self) -> Workspace:
        if self._opened is None:
            self._opened = open_workspace(self._path, self._store, create=True)
        return self._opened
