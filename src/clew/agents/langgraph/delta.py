"""Delta channels: stored as occasional full snapshots, and as writes in between.

The value of such a channel is derived by walking up to its last full snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from langgraph.checkpoint.base import DeltaChannelHistory, PendingWrite
from langgraph.checkpoint.serde.base import SerializerProtocol

from clew.agents.langgraph.values import load, load_metadata, load_writes
from clew.store.graphs import GraphCheckpoint, GraphCheckpointKey, Graphs

_COUNTERS = "counters_since_delta_snapshot"


def history(
    graphs: Graphs,
    serde: SerializerProtocol,
    start: GraphCheckpoint | None,
    channels: Sequence[str],
) -> dict[str, DeltaChannelHistory]:
    """Return the writes to channels up to a checkpoint, oldest first, and their last full values."""
    writes: dict[str, list[PendingWrite]] = {channel: [] for channel in channels}
    seeds: dict[str, Any] = {}
    open_channels = set(channels)
    for stored in _ancestors(graphs, start):
        if not open_channels:
            break
        wanted = [write for write in graphs.writes(stored.spot) if write.channel in open_channels]
        for found in reversed(list(load_writes(serde, wanted))):
            writes[found[1]].append(found)
        for channel, value in graphs.values(stored.spot, sorted(open_channels)).items():
            seeds[channel] = load(serde, value)
            open_channels.discard(channel)
    return {channel: _entry(writes[channel], seeds, channel) for channel in channels}


def needed_keys(
    graphs: Graphs, serde: SerializerProtocol, key: GraphCheckpointKey
) -> Iterator[GraphCheckpointKey]:
    """Yield a checkpoint, and the ancestors needed to derive its delta channels."""
    stored = graphs.get(*key)
    if stored is None:
        return
    yield key
    missing = set(load_metadata(serde, stored).get(_COUNTERS) or ()) - set(graphs.values(key))
    for above in _ancestors(graphs, stored):
        if not missing:
            return
        yield above.spot
        missing -= set(graphs.values(above.spot))


def _ancestors(graphs: Graphs, stored: GraphCheckpoint | None) -> Iterator[GraphCheckpoint]:
    """Yield the ancestors, each once, also if damaged rows form a cycle."""
    seen = set[GraphCheckpointKey]()
    while stored is not None and stored.parent is not None and stored.spot not in seen:
        seen.add(stored.spot)
        stored = graphs.get(stored.spot.thread, stored.spot.namespace, stored.parent)
        if stored is not None:
            yield stored


def _entry(
    newest_first: Sequence[PendingWrite], seeds: dict[str, Any], channel: str
) -> DeltaChannelHistory:
    entry: DeltaChannelHistory = {"writes": list(reversed(newest_first))}
    if channel in seeds:
        entry["seed"] = seeds[channel]
    return entry
