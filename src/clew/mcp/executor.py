"""Where calls are worked on: in one thread, one after the other, so that the event loop stays free.

The workspace is opened for each call.  One that was deleted, moved or replaced in between, store
included, is an error of that call and no end of the server.
A call that is cancelled while it works is worked to its end, and its answer dropped: nothing is left
half done.  One that is still waiting for its turn never begins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

import anyio
import anyio.to_thread
from mcp.server.mcpserver import Context

from clew.mcp.progress import ProgressReporter
from clew.monitor import Monitor

if TYPE_CHECKING:
    from clew.workspace import Workspace

T = TypeVar("T")


class Opener(Protocol):
    """Opens the nearest workspace."""

    def __call__(self, path: str, store: str | None = None, *, create: bool = False) -> Workspace:
        """Return the workspace at or above `path`."""


class _Came(NamedTuple, Generic[T]):
    """What came of some work: one of the two."""

    results: tuple[T, ...] = ()
    error: Exception | None = None


class ToolExecutor:
    """One place to work, and whose workspace it is."""

    def __init__(self, opener: Opener, directory: str, store: str | None) -> None:
        self._opener = opener
        self._directory = directory
        self._store = store
        self._one_at_a_time = anyio.CapacityLimiter(1)

    async def work(
        self,
        context: Context,
        body: Callable[[Workspace, Monitor], T],
        *,
        create: bool = False,
    ) -> T:
        """Return what `body` makes of the workspace, with progress told to the client."""
        telling = ProgressReporter()

        def at_the_desk() -> _Came[T]:
            try:
                with self._opener(self._directory, self._store, create=create) as workspace:
                    workspace.paths_from = workspace.info.path
                    return _Came((body(workspace, telling),))
            except Exception as error:  # noqa: BLE001 - raised again where it was asked for
                return _Came((), error)

        async with anyio.create_task_group() as group:
            group.start_soon(telling.keep_telling, context)
            came = await anyio.to_thread.run_sync(at_the_desk, limiter=self._one_at_a_time)
            group.cancel_scope.cancel()
        await telling.tell(context)
        if came.error is not None:
            raise came.error
        return came.results[0]
