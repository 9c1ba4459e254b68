"""Graph checkpoints in the library's form, created by hand."""

from __future__ import annotations

from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointMetadata, empty_checkpoint

from clew.agents.langgraph import ClewSaver

LOOP: CheckpointMetadata = {"source": "loop", "step": 1, "parents": {}}


def at(thread: str, identifier: str | None = None, namespace: str = "") -> RunnableConfig:
    place = {"thread_id": thread, "checkpoint_ns": namespace}
    return {"configurable": {**place, "checkpoint_id": identifier} if identifier else place}


def checkpoint(identifier: str, **values: Any) -> Checkpoint:
    made = empty_checkpoint()
    made["id"] = identifier
    made["channel_values"] = values
    made["channel_versions"] = dict.fromkeys(values, 1)
    return made


def put(
    saver: ClewSaver,
    thread: str,
    identifier: str,
    *,
    parent: str | None = None,
    metadata: dict[str, Any] | None = None,
    **values: Any,
) -> RunnableConfig:
    """Store one checkpoint and return its configuration."""
    said: Any = {**LOOP, **(metadata or {})}
    return saver.put(at(thread, parent), checkpoint(identifier, **values), said, {})
