"""Serial executor: run calls on a workspace in threads, one at a time, off the event loop.

Libraries call us from concurrent coroutines; a workspace serves one caller.  Errors are in `problems`
and in the log that `clew doctor` shows; they do not stop the agent.
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
_locks_guard = threading.Lock()


class SerialExecutor:
    """Serialises the calls on one workspace."""

    def __init__(self, workspace: Workspace, agent: str) -> None:
        self._agent = agent
        self._path = as_argument(workspace.info.path)
        with _locks_guard:
            self._lock = _locks.setdefault(workspace, threading.Lock())
        self.problems: list[str] = []
        """Errors of calls, oldest first."""

    async def run(self, do: Callable[[], T]) -> T:
        """Call `do` in a thread, and raise what it raises."""
        return await asyncio.to_thread(self._call_locked, do)

    async def try_run(self, do: Callable[[], T], otherwise: T) -> T:
        """Call `do` in a thread; log an error and return `otherwise`."""
        try:
            return await self.run(do)
        except Exception as error:  # noqa: BLE001 - history never stops an agent
            self._record(f"{type(error).__name__}: {error}")
            return otherwise

    def _record(self, problem: str) -> None:
        self.problems.append(problem)
        try:
            log.write(log.log_path(os.environ), self._agent, "", self._path, problem)
        except OSError:
            pass  # no other place to report it

    def _call_locked(self, do: Callable[[], T]) -> T:
        with self._lock:
            return do()
