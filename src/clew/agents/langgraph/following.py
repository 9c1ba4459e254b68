"""A graph that takes the files along: they go to where a run starts before its first node runs.

A checkpointer alone cannot do that.  It is asked for a checkpoint in the same words by a run and by
somebody who only looks, and looking must never change a file.  And a run does not wait for it: by
default it keeps a step while the next one is already writing files.
So the graph itself says when a run begins, and waits until each step is kept.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.pregel import Pregel

from clew.agents.langgraph.saver import ClewSaver
from clew.errors import BadOption

_TASK = "__pregel_task_id"
"""In the configuration of a graph that runs as a node of another."""

Graph = TypeVar("Graph", bound=Pregel[Any, Any, Any, Any])


def with_files(graph: Graph) -> Graph:
    """Return the same graph, but the files follow it when it goes back or forks.

    A run keeps each step before the next begins (`durability="sync"`), unless it is told to keep
    only its end (`"exit"`).
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
    """What a graph does differently; `invoke` and all other ways to run it come through here."""

    checkpointer: Any
    config: RunnableConfig | None

    def stream(
        self,
        input: Any,  # noqa: A002  the library's word
        config: RunnableConfig | None = None,
        *,
        durability: str | None = None,
        **options: Any,
    ) -> Iterator[Any]:
        start = self._start(config)
        if start is not None:
            self.checkpointer.follow(start)
            durability = _kept_in_time(durability)
        run = super().stream  # type: ignore[misc]  # it stands before a graph's own class
        yield from run(input, config, durability=durability, **options)

    async def astream(
        self,
        input: Any,  # noqa: A002  the library's word
        config: RunnableConfig | None = None,
        *,
        durability: str | None = None,
        **options: Any,
    ) -> AsyncIterator[Any]:
        start = self._start(config)
        if start is not None:
            await self.checkpointer.afollow(start)
            durability = _kept_in_time(durability)
        run = super().astream  # type: ignore[misc]  # it stands before a graph's own class
        async for part in run(input, config, durability=durability, **options):
            yield part

    def _start(self, config: RunnableConfig | None) -> RunnableConfig | None:
        """Return where a run starts; None for one that is a part of another, or keeps nothing."""
        if not isinstance(self.checkpointer, ClewSaver):
            return None
        own, given = (self.config or {}).get("configurable"), (config or {}).get("configurable")
        place = {**(own or {}), **(given or {})}
        return None if _TASK in place else {"configurable": place}


def _following(kind: type) -> type[Any]:
    return type(kind.__name__, (_Following, kind), {"__module__": kind.__module__})


def _kept_in_time(durability: str | None) -> str:
    return durability if durability == "exit" else "sync"
