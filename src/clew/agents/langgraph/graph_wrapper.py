"""Graph wrapper: restores the files of a run's start before its first node runs.

A checkpointer alone cannot do that.  A run and a reader request a checkpoint with the same call, and
reading must never change a file.  And a run does not wait for it: by default a step is saved while
the next one is already writing files.
So the graph itself notifies the saver when a run starts, and waits until each step is saved.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.pregel import Pregel

from clew.agents.langgraph.saver import ClewSaver
from clew.errors import BadOption

_TASK = "__pregel_task_id"
"""A key in the configuration of a graph that runs as a node of another."""

Graph = TypeVar("Graph", bound=Pregel[Any, Any, Any, Any])


def with_files(graph: Graph) -> Graph:
    """Return a graph of the same class that restores files when it goes back or forks.

    A run saves each step before the next starts (`durability="sync"`), unless it saves only its end
    (`"exit"`).
    """
    if not isinstance(graph.checkpointer, ClewSaver):
        raise BadOption("with_files", "the graph must be compiled with a ClewSaver")
    kind: type[Any] = type(graph)
    if issubclass(kind, _Following):
        return graph
    found: Graph = object.__new__(_following(kind))
    found.__dict__.update(graph.__dict__)
    return found


class _Following:
    """Overridden methods of a graph; `invoke` and all other ways to run it use these."""

    checkpointer: Any
    config: RunnableConfig | None

    def stream(
        self,
        input: Any,  # noqa: A002  the library's name
        config: RunnableConfig | None = None,
        *,
        durability: str | None = None,
        **options: Any,
    ) -> Iterator[Any]:
        start = self._start(config)
        if start is not None:
            self.checkpointer.follow(start)
            durability = _synchronous(durability)
        run = super().stream  # type: ignore[misc]  # precedes the graph's own class in the MRO
        yield from run(input, config, durability=durability, **options)

    async def astream(
        self,
        input: Any,  # noqa: A002  the library's name
        config: RunnableConfig | None = None,
        *,
        durability: str | None = None,
        **options: Any,
    ) -> AsyncIterator[Any]:
        start = self._start(config)
        if start is not None:
            await self.checkpointer.afollow(start)
            durability = _synchronous(durability)
        run = super().astream  # type: ignore[misc]  # precedes the graph's own class in the MRO
        async for part in run(input, config, durability=durability, **options):
            yield part

    def _start(self, config: RunnableConfig | None) -> RunnableConfig | None:
        """Return the start of a run; None for a run inside another, or without a saver."""
        if not isinstance(self.checkpointer, ClewSaver):
            return None
        own, given = (self.config or {}).get("configurable"), (config or {}).get("configurable")
        place = {**(own or {}), **(given or {})}
        return None if _TASK in place else {"configurable": place}


def _following(kind: type) -> type[Any]:
    return type(kind.__name__, (_Following, kind), {"__module__": kind.__module__})


def _synchronous(durability: str | None) -> str:
    return durability if durability == "exit" else "sync"
