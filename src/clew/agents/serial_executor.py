"""A workspace in asynchronous hands: never on the event loop, and one thing at a time.

Libraries call us from coroutines, several at once; a workspace is for one caller.  What goes wrong
with a checkpoint is in the log that `clew doctor` shows and in `problems`: the agent goes on.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

from clew.agents.hooks import log
from clew.filenames import as_argument
from clew.workspace.workspace import Workspace

T = TypeVar("T")

_locks: WeakKeyDictionary[Workspace, threading.Lock] = WeakKeyDictionary()
_guard = threading.Lock()


class SerialExecutor:
    """The way that all calls of one workspace take."""

    def __init__(self, workspace: Workspace, agent: str) -> None:
        self._agent = agent
        self._path = as_argument(workspace.info.path)
        with _guard:
            self._lock = _locks.setdefault(workspace, threading.Lock())
        self.problems: list[str] = []
        """What could not be kept, oldest first."""

    async def run(self, do: Callable[[], T]) -> T:
        """Do something with the workspace; what it raises is raised."""
        return await asyncio.to_thread(self._alone, do)

    async def tell(self, do: Callable[[], T], otherwise: T) -> T:
        """Do the same for an agent that must go on whatever happens."""
        try:
            return await self.run(do)
        except Exception as error:  # noqa: BLE001 - keeping history never stops an agent
            self._note(f"{type(error).__name__}: {error}")
            return otherwise

    def _note(self, problem: str) -> None:
        self.problems.append(problem)
        try:
            log.write(log.log_path(os.environ), self._agent, "", self._path, problem)
        except OSError:
            pass  # nowhere is left to say it

    def _alone(self, do: Callable[[], T]) -> T:
        with self._lock:
            return do()
