"""Between the library's values and the rows of a store: serialised by the saver's own serialiser.

Bytes from a store are not trusted: a kind that the serialiser does not know is damage.  What was
pickled is such a kind, unless the serialiser was told to read it; nothing here ever does.
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
    """Return the thread that a configuration names."""
    thread = config.get("configurable", {}).get("thread_id")
    if thread is None:
        raise BadOption("thread_id", "a checkpointer needs one in the configuration")
    return str(thread)


def namespace_of(config: RunnableConfig) -> str:
    """Return which graph a configuration names, of those inside each other; the outermost is empty."""
    return str(config.get("configurable", {}).get("checkpoint_ns") or "")


def spot_of(config: RunnableConfig) -> GraphCheckpointKey:
    """Return the moment that a configuration names."""
    identifier = get_checkpoint_id(config)
    if not identifier:
        raise BadOption("checkpoint_id", "the configuration names no checkpoint")
    return GraphCheckpointKey(thread_of(config), namespace_of(config), identifier)


def config_of(spot: GraphCheckpointKey) -> RunnableConfig:
    """Return the configuration that names a moment."""
    return {
        "configurable": {
            "thread_id": spot.thread,
            "checkpoint_ns": spot.namespace,
            "checkpoint_id": spot.id,
        }
    }


def dump(serde: SerializerProtocol, value: object) -> Typed:
    """Serialise a value."""
    kind, content = serde.dumps_typed(value)
    return Typed(kind, bytes(content))


def load(serde: SerializerProtocol, value: Typed) -> Any:
    """Return a value; what the serialiser does not know, or cannot read, is damage."""
    try:
        return serde.loads_typed((value.kind, value.content))
    except (NotImplementedError, ValueError, TypeError, EOFError) as error:
        what = f"The memory of graphs holds a value that cannot be read ({error})"
        raise StoreDamaged(f"{what}: {value.kind!r}") from error


def dump_checkpoint(
    serde: SerializerProtocol, checkpoint: Checkpoint
) -> tuple[Typed, dict[str, Typed]]:
    """Serialise a checkpoint: all but the values of its channels, and those one by one."""
    body = {key: value for key, value in checkpoint.items() if key != CHANNEL_VALUES}
    values = {channel: dump(serde, value) for channel, value in checkpoint[CHANNEL_VALUES].items()}
    return dump(serde, body), values


def dump_writes(
    serde: SerializerProtocol, writes: Sequence[tuple[str, Any]], task: str, path: str
) -> list[Write]:
    """Serialise what a task wrote."""
    return [
        Write(task, WRITES_IDX_MAP.get(channel, number), path, channel, dump(serde, value))
        for number, (channel, value) in enumerate(writes)
    ]


def load_body(serde: SerializerProtocol, moment: GraphCheckpoint) -> dict[str, Any]:
    """Return a checkpoint without the values of its channels."""
    return _mapping(load(serde, moment.body))


def load_metadata(serde: SerializerProtocol, moment: GraphCheckpoint) -> dict[str, Any]:
    return _mapping(load(serde, moment.metadata))


def load_writes(serde: SerializerProtocol, writes: Sequence[Write]) -> Iterator[PendingWrite]:
    """Yield writes as the library has them."""
    for write in writes:
        yield write.task, write.channel, load(serde, write.value)


def load_tuple(
    serde: SerializerProtocol,
    moment: GraphCheckpoint,
    values: Mapping[str, Typed],
    writes: Sequence[Write],
) -> CheckpointTuple:
    """Return a moment as the library has it."""
    body = load_body(serde, moment)
    body[CHANNEL_VALUES] = {channel: load(serde, value) for channel, value in values.items()}
    above = moment.spot._replace(id=moment.parent) if moment.parent else None
    return CheckpointTuple(
        config=config_of(moment.spot),
        checkpoint=cast(Checkpoint, body),
        metadata=cast(CheckpointMetadata, load_metadata(serde, moment)),
        parent_config=config_of(above) if above is not None else None,
        pending_writes=list(load_writes(serde, writes)),
    )


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise StoreDamaged("The memory of graphs holds something else than a checkpoint")
    return value
