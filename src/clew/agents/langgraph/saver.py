"""ClewSaver: LangGraph's checkpoints in a workspace's store, and with them the workspace itself."""

from __future__ import annotations

import builtins
import os
from collections.abc import Iterator, Mapping, Sequence
from threading import RLock
from types import TracebackType
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from clew.agents.langgraph.asynchronous import AsynchronousSaver
from clew.agents.langgraph.delta import history, spots_needed
from clew.agents.langgraph.files import CLEW_CHECKPOINT, ROOT, Files, GraphFiles, GraphStep
from clew.agents.langgraph.values import (
    config_of,
    dump,
    dump_checkpoint,
    dump_writes,
    load_body,
    load_metadata,
    load_tuple,
    namespace_of,
    spot_of,
    thread_of,
)
from clew.errors import BadOption, UnknownReference
from clew.model.restore_results import RestoreResult
from clew.opening import open as open_workspace
from clew.store.graphs import GraphCheckpoint, GraphCheckpointKey, Graphs
from clew.store.layout import Layout
from clew.workspace import Workspace

_KEEP_LATEST, _DELETE = "keep_latest", "delete"


class ClewSaver(AsynchronousSaver):
    """A checkpointer that keeps what a graph knows in a workspace's store.

    With `files`, each of its checkpoints also names one of the workspace, in
    `metadata["clew_checkpoint"]`.  A path that is in no workspace becomes one.
    Any number of threads and tasks may use it at once.
    """

    def __init__(
        self,
        workspace: Workspace | str | os.PathLike[str],
        *,
        files: bool = True,
        serde: SerializerProtocol | None = None,
    ) -> None:
        super().__init__(serde=serde)
        self._is_ours = not isinstance(workspace, Workspace)
        self.workspace = (
            workspace
            if isinstance(workspace, Workspace)
            else open_workspace(workspace, create=True)
        )
        layout = Layout(self.workspace.store_path)
        self._graphs = Graphs(layout, self.workspace.info.uuid)
        self._files = Files(self.workspace, self._graphs) if files else None
        self._lock = RLock()

    def close(self) -> None:
        """Let go of the store, and of the workspace if it was opened here."""
        with self._lock:
            self._graphs.close()
            if self._is_ours:
                self.workspace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Looking: nothing here ever changes a file

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that `config` names, by default the newest of its thread."""
        thread, namespace = thread_of(config), namespace_of(config)
        with self._lock:
            moment = self._graphs.get(thread, namespace, get_checkpoint_id(config) or None)
            return self._loaded(moment) if moment is not None else None

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  the library's word
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, newest first; nothing is held between two of them."""
        place = config.get("configurable", {}) if config is not None else {}
        with self._lock:
            spots = self._graphs.spots(
                thread=thread_of(config) if config is not None else None,
                namespace=place.get("checkpoint_ns"),
                identifier=place.get("checkpoint_id") or None,
                before=get_checkpoint_id(before) if before is not None else None,
            )
        left = limit if limit is not None else len(spots)
        for spot in spots:
            if left <= 0:
                return
            with self._lock:
                moment = self._graphs.get(*spot)
                if moment is None or not self._fits(moment, filter):
                    continue
                found = self._loaded(moment)
            left -= 1
            yield found

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return what was written to channels since they were last kept whole."""
        thread, namespace = thread_of(config), namespace_of(config)
        with self._lock:
            start = self._graphs.get(thread, namespace, get_checkpoint_id(config) or None)
            return history(self._graphs, self.serde, start, channels)

    # Keeping

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint, and with it the files as they are now."""
        spot = GraphCheckpointKey(thread_of(config), namespace_of(config), checkpoint["id"])
        parent = get_checkpoint_id(config) or None
        said: dict[str, Any] = {**get_serializable_checkpoint_metadata(config, metadata)}
        said.pop(CLEW_CHECKPOINT, None)  # nobody else can say that
        body, values = dump_checkpoint(self.serde, checkpoint)
        with self._lock:
            held = self._held(spot, parent, checkpoint, said)
            if held.files is not None:
                said[CLEW_CHECKPOINT] = held.files
            moment = GraphCheckpoint(spot, parent, held.files, body, dump(self.serde, said))
            run = said.get("run_id")
            self._graphs.put(
                moment, values, run=str(run) if run is not None else None, stands=held.stands
            )
        return config_of(spot)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a task wrote before its step has ended."""
        rows = dump_writes(self.serde, writes, task_id, task_path)
        with self._lock:
            self._graphs.put_writes(spot_of(config), rows)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Give another thread all that this one has; files are named, not copied."""
        with self._lock:
            self._graphs.copy(str(source_thread_id), str(target_thread_id))

    # Going back

    def go_to(self, config: RunnableConfig) -> RestoreResult:
        """Put back the files of a checkpoint of the graph, by default the newest of its thread."""
        if self._files is None:
            raise BadOption("files", "this saver was told to keep none")
        thread, namespace = thread_of(config), namespace_of(config)
        identifier = get_checkpoint_id(config) or None
        with self._lock:
            moment = self._graphs.get(thread, namespace, identifier)
            if moment is None:
                raise UnknownReference(identifier or thread)
            return self._files.go_to(moment)

    def follow(self, config: RunnableConfig) -> None:
        """Before a run: bring the files to where it starts; `with_files` calls it."""
        if self._files is None or config.get("configurable", {}).get("thread_id") is None:
            return
        thread, namespace = thread_of(config), namespace_of(config)
        with self._lock:
            self._files.follow(thread, namespace, get_checkpoint_id(config) or None)

    # Letting go

    def delete_thread(self, thread_id: str) -> None:
        """Forget a thread; checkpoints of the workspace are clew's own, and stay."""
        with self._lock:
            self._graphs.delete_thread(str(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Forget what some runs have kept."""
        with self._lock:
            self._graphs.delete_runs([str(run) for run in run_ids])

    def prune(self, thread_ids: Sequence[str], *, strategy: str = _KEEP_LATEST) -> None:
        """Keep only the newest checkpoint of each graph of these threads, or with "delete" none.

        Older ones stay where the newest needs them to tell what a delta channel holds.
        """
        if strategy not in (_KEEP_LATEST, _DELETE):
            raise BadOption("strategy", f"must be {_KEEP_LATEST!r} or {_DELETE!r}")
        for thread in map(str, thread_ids):
            if strategy == _DELETE:
                self.delete_thread(thread)
                continue
            with self._lock:
                self._graphs.delete(self._prunable(thread))

    # Behind them

    def _loaded(self, moment: GraphCheckpoint) -> CheckpointTuple:
        values, writes = self._graphs.values(moment.spot), self._graphs.writes(moment.spot)
        return load_tuple(self.serde, moment, values, writes)

    def _fits(self, moment: GraphCheckpoint, wanted: dict[str, Any] | None) -> bool:
        if not wanted:
            return True
        metadata = load_metadata(self.serde, moment)
        return all(metadata.get(key) == value for key, value in wanted.items())

    def _held(
        self,
        spot: GraphCheckpointKey,
        parent: str | None,
        checkpoint: Checkpoint,
        said: Mapping[str, Any],
    ) -> GraphFiles:
        if self._files is None:
            return GraphFiles(None, spot.namespace == ROOT)
        step = GraphStep(spot, parent, str(said.get("source")), said.get("step"))
        if step.source == "fork":
            step = step._replace(twin=self._twin(spot, parent, checkpoint))
        else:
            step = step._replace(nodes=self._nodes_run(spot, parent, checkpoint))
        return self._files.at(step)

    def _twin(
        self, spot: GraphCheckpointKey, parent: str | None, checkpoint: Checkpoint
    ) -> str | None:
        """Return what a fork is a copy of: a copy has the versions, and the parent, of that."""
        for other in self._graphs.children(spot.thread, spot.namespace, parent):
            versions = load_body(self.serde, other).get("channel_versions")
            if versions == checkpoint["channel_versions"]:
                return other.spot.id
        return None

    def _nodes_run(
        self, spot: GraphCheckpointKey, parent: str | None, checkpoint: Checkpoint
    ) -> builtins.list[str]:
        """Name the nodes that ran since the parent: those that have seen something since."""
        above = self._graphs.get(spot.thread, spot.namespace, parent) if parent else None
        before = load_body(self.serde, above).get("versions_seen", {}) if above else {}
        seen = checkpoint["versions_seen"]
        names = (name for name in seen if seen[name] != before.get(name))
        return sorted(name for name in names if not name.startswith("__"))

    def _prunable(self, thread: str) -> builtins.list[GraphCheckpointKey]:
        spots = self._graphs.spots(thread=thread, namespace=None, identifier=None, before=None)
        newest = {spot.namespace: spot for spot in reversed(spots)}
        kept = {
            needed
            for spot in newest.values()
            for needed in spots_needed(self._graphs, self.serde, spot)
        }
        return [spot for spot in spots if spot not in kept]
