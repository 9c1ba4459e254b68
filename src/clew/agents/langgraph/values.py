"""Serialisation between LangGraph's values and rows of the store, by the saver's serialiser.

Bytes from the store are untrusted: a type that the serialiser does not know is reported as damage.
Pickled values are such a type, unless the serialiser was configured to read them; clew never is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    PendingWrite,
    get_checkpoint_id,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from clew.errors import BadOption, StoreDamaged
from clew.store.graphs import GraphCheckpoint, GraphCheckpointKey, Typed, Write

CHANNEL_VALUES: Literal["channel_values"] = "channel_values"


def thread_of(config: RunnableConfig) -> str:
    """Return the thread id of a configuration."""
    thread = config.get("configurable", {}).get("thread_id")
    if thread is None:
        raise BadOption("thread_id", "missing in the configuration")
    return str(thread)


def namespace_of(config: RunnableConfig) -> str:
    """Return the namespace of a configuration; empty for the outermost graph."""
    return str(config.get("configurable", {}).get("checkpoint_ns") or "")


def key_of(config: RunnableConfig) -> GraphCheckpointKey:
    """Return the checkpoint key of a configuration."""
    identifier = get_checkpoint_id(config)
    if not identifier:
        raise BadOption("checkpoint_id", "missing in the configuration")
    return GraphCheckpointKey(thread_of(config), namespace_of(config), identifier)


def config_of(key: GraphCheckpointKey) -> RunnableConfig:
    """Return the configuration for a checkpoint key."""
    return {
        "configurable": {
            "thread_id": key.thread,
            "checkpoint_ns": key.namespace,
            "checkpoint_id": key.id,
        }
    }


def dump(serde: SerializerProtocol, value: object) -> Typed:
    """Serialise a value."""
    kind, content = serde.dumps_typed(value)
    return Typed(kind, bytes(content))


def load(serde: SerializerProtocol, value: Typed) -> Any:
    """Deserialise a value; an unknown type or invalid bytes raise StoreDamaged."""
    try:
        return serde.loads_typed((value.kind, value.content))
    except (NotImplementedError, ValueError, TypeError, EOFError) as error:
        what = f"Unreadable value in the graph database ({error})"
        raise StoreDamaged(f"{what}: {value.kind!r}") from error


def dump_checkpoint(
    serde: SerializerProtocol, checkpoint: Checkpoint
) -> tuple[Typed, dict[str, Typed]]:
    """Serialise a checkpoint without its channel values, and the channel values separately."""
    body = {key: value for key, value in checkpoint.items() if key != CHANNEL_VALUES}
    values = {channel: dump(serde, value) for channel, value in checkpoint[CHANNEL_VALUES].items()}
    return dump(serde, body), values


def dump_writes(
    serde: SerializerProtocol, writes: Sequence[tuple[str, Any]], task: str, path: str
) -> list[Write]:
    """Serialise the writes of a task."""
    return [
        Write(task, WRITES_IDX_MAP.get(channel, number), path, channel, dump(serde, value))
        for number, (channel, value) in enumerate(writes)
    ]


def load_body(serde: SerializerProtocol, stored: GraphCheckpoint) -> dict[str, Any]:
    """Return a checkpoint without its channel values."""
    return _mapping(load(serde, stored.body))


def load_metadata(serde: SerializerProtocol, stored: GraphCheckpoint) -> dict[str, Any]:
    return _mapping(load(serde, stored.metadata))


def load_writes(serde: SerializerProtocol, writes: Sequence[Write]) -> Iterator[PendingWrite]:
    """Yield writes in the library's form."""
    for write in writes:
        yield write.task, write.channel, load(serde, write.value)


def load_tuple(
    serde: SerializerProtocol,
    stored: GraphCheckpoint,
    values: Mapping[str, Typed],
    writes: Sequence[Write],
) -> CheckpointTuple:
    """Return a checkpoint in the library's form."""
    body = load_body(serde, stored)
    body[CHANNEL_VALUES] = {channel: load(serde, value) for channel, value in values.items()}
    above = stored.spot._replace(id=stored.parent) if stored.parent else None
    return CheckpointTuple(
        config=config_of(stored.spot),
        checkpoint=cast(Checkpoint, body),
        metadata=cast(CheckpointMetadata, load_metadata(serde, stored)),
        parent_config=config_of(above) if above is not None else None,
        pending_writes=list(load_writes(serde, writes)),
    )


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise StoreDamaged("Not a checkpoint in the graph database")
    return value
