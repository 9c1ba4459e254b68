"""Tool executor: runs calls one at a time in a worker thread, so that the event loop stays free.

Each call opens the workspace.  If it or its store was deleted, moved or replaced in between, that
call fails and the server continues.
A call that is cancelled while it runs is completed and its result dropped, so that nothing is left
half done.  A call that is cancelled while it waits never starts.
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


class _Outcome(NamedTuple, Generic[T]):
    """The result of a call, or its error."""

    results: tuple[T, ...] = ()
    error: Exception | None = None


class ToolExecutor:
    """Runs calls on one workspace."""

    answer_timeout = 600.0
    """Seconds that a person has to answer a question, where the call waits."""

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
        """Return the result of `body` on the workspace; report progress to the client."""
        reporter = ProgressReporter()

        def run_body() -> _Outcome[T]:
            try:
                with self._opener(self._directory, self._store, create=create) as workspace:
                    workspace.paths_from = workspace.info.path
                    return _Outcome((body(workspace, reporter),))
            except Exception as error:  # noqa: BLE001 - raised again by the caller's task
                return _Outcome((), error)

        async with anyio.create_task_group() as group:
            group.start_soon(reporter.report_repeatedly, context)
            outcome = await anyio.to_thread.run_sync(run_body, limiter=self._one_at_a_time)
            group.cancel_scope.cancel()
        await reporter.report(context)
        if outcome.error is not None:
            raise outcome.error
        return outcome.results[0]
