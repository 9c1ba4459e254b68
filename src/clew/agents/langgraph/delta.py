"""Delta channels: kept whole now and then, and in between only as what was written to them.

What such a channel holds at a moment is told by walking up to where it was last kept whole.
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
    """Return what was written to channels up to a moment, oldest first, and what they held before."""
    writes: dict[str, list[PendingWrite]] = {channel: [] for channel in channels}
    seeds: dict[str, Any] = {}
    open_ones = set(channels)
    for moment in _above(graphs, start):
        if not open_ones:
            break
        wanted = [write for write in graphs.writes(moment.spot) if write.channel in open_ones]
        for found in reversed(list(load_writes(serde, wanted))):
            writes[found[1]].append(found)
        for channel, value in graphs.values(moment.spot, sorted(open_ones)).items():
            seeds[channel] = load(serde, value)
            open_ones.discard(channel)
    return {channel: _entry(writes[channel], seeds, channel) for channel in channels}


def spots_needed(
    graphs: Graphs, serde: SerializerProtocol, spot: GraphCheckpointKey
) -> Iterator[GraphCheckpointKey]:
    """Yield a moment, and those above it without which a delta channel could not be told."""
    moment = graphs.get(*spot)
    if moment is None:
        return
    yield spot
    missing = set(load_metadata(serde, moment).get(_COUNTERS) or ()) - set(graphs.values(spot))
    for above in _above(graphs, moment):
        if not missing:
            return
        yield above.spot
        missing -= set(graphs.values(above.spot))


def _above(graphs: Graphs, moment: GraphCheckpoint | None) -> Iterator[GraphCheckpoint]:
    """Yield parents, and theirs; each once, however damaged the rows are."""
    seen = set[GraphCheckpointKey]()
    while moment is not None and moment.parent is not None and moment.spot not in seen:
        seen.add(moment.spot)
        moment = graphs.get(moment.spot.thread, moment.spot.namespace, moment.parent)
        if moment is not None:
            yield moment


def _entry(
    newest_first: Sequence[PendingWrite], seeds: dict[str, Any], channel: str
) -> DeltaChannelHistory:
    entry: DeltaChannelHistory = {"writes": list(reversed(newest_first))}
    if channel in seeds:
        entry["seed"] = seeds[channel]
    return entry
