"""ClewSaver: LangGraph checkpoints in clew's store, with checkpoints of the workspace."""

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
from clew.agents.langgraph.delta import history, needed_keys
from clew.agents.langgraph.files import CLEW_CHECKPOINT, ROOT, Files, GraphFiles, GraphStep
from clew.agents.langgraph.values import (
    config_of,
    dump,
    dump_checkpoint,
    dump_writes,
    key_of,
    load_body,
    load_metadata,
    load_tuple,
    namespace_of,
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
    """A checkpointer that stores the state of graphs in a workspace's store.

    With `files`, each graph checkpoint also refers to a workspace checkpoint, in
    `metadata["clew_checkpoint"]`.  A workspace is created for a path that is not in one.
    It is safe for concurrent use by threads and tasks.
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
        layout = Layout(self.workspace.store.path)
        self._graphs = Graphs(layout, self.workspace.info.uuid)
        self._files = Files(self.workspace, self._graphs) if files else None
        self._lock = RLock()

    def close(self) -> None:
        """Close the store, and the workspace if it was opened here."""
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

    # Reading: these methods never change a file

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint in `config`, by default the newest of its thread."""
        thread, namespace = thread_of(config), namespace_of(config)
        with self._lock:
            stored = self._graphs.get(thread, namespace, get_checkpoint_id(config) or None)
            return self._load(stored) if stored is not None else None

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  the library's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, newest first; no lock is graph_files between two of them."""
        place = config.get("configurable", {}) if config is not None else {}
        with self._lock:
            keys = self._graphs.spots(
                thread=thread_of(config) if config is not None else None,
                namespace=place.get("checkpoint_ns"),
                identifier=place.get("checkpoint_id") or None,
                before=get_checkpoint_id(before) if before is not None else None,
            )
        left = limit if limit is not None else len(keys)
        for key in keys:
            if left <= 0:
                return
            with self._lock:
                stored = self._graphs.get(*key)
                if stored is None or not self._matches(stored, filter):
                    continue
                found = self._load(stored)
            left -= 1
            yield found

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return the writes to channels since their last full snapshots."""
        thread, namespace = thread_of(config), namespace_of(config)
        with self._lock:
            start = self._graphs.get(thread, namespace, get_checkpoint_id(config) or None)
            return history(self._graphs, self.serde, start, channels)

    # Writing

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, with the current files."""
        key = GraphCheckpointKey(thread_of(config), namespace_of(config), checkpoint["id"])
        parent = get_checkpoint_id(config) or None
        stored_metadata: dict[str, Any] = {**get_serializable_checkpoint_metadata(config, metadata)}
        stored_metadata.pop(CLEW_CHECKPOINT, None)  # only the saver sets it
        body, values = dump_checkpoint(self.serde, checkpoint)
        with self._lock:
            graph_files = self._files_for(key, parent, checkpoint, stored_metadata)
            if graph_files.files is not None:
                stored_metadata[CLEW_CHECKPOINT] = graph_files.files
            stored = GraphCheckpoint(
                key, parent, graph_files.files, body, dump(self.serde, stored_metadata)
            )
            run = stored_metadata.get("run_id")
            self._graphs.put(
                stored,
                values,
                run=str(run) if run is not None else None,
                stands=graph_files.is_current,
            )
        return config_of(key)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store the writes of a task before its step has ended."""
        rows = dump_writes(self.serde, writes, task_id, task_path)
        with self._lock:
            self._graphs.put_writes(key_of(config), rows)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread's checkpoints to another thread; files are referenced, not copied."""
        with self._lock:
            self._graphs.copy(str(source_thread_id), str(target_thread_id))

    # Restoring

    def go_to(self, config: RunnableConfig) -> RestoreResult:
        """Restore the files of a graph checkpoint, by default the newest of its thread."""
        if self._files is None:
            raise BadOption("files", "this saver was created with files=False")
        thread, namespace = thread_of(config), namespace_of(config)
        identifier = get_checkpoint_id(config) or None
        with self._lock:
            stored = self._graphs.get(thread, namespace, identifier)
            if stored is None:
                raise UnknownReference(identifier or thread)
            return self._files.go_to(stored)

    def follow(self, config: RunnableConfig) -> None:
        """Before a run: restore the files of its start; called by `with_files`."""
        if self._files is None or config.get("configurable", {}).get("thread_id") is None:
            return
        thread, namespace = thread_of(config), namespace_of(config)
        with self._lock:
            self._files.follow(thread, namespace, get_checkpoint_id(config) or None)

    # Deleting

    def delete_thread(self, thread_id: str) -> None:
        """Delete a thread; workspace checkpoints remain."""
        with self._lock:
            self._graphs.delete_thread(str(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of some runs."""
        with self._lock:
            self._graphs.delete_runs([str(run) for run in run_ids])

    def prune(self, thread_ids: Sequence[str], *, strategy: str = _KEEP_LATEST) -> None:
        """Delete all but the newest checkpoint of each graph of these threads; with "delete", all.

        Older ones remain if the newest needs them to derive a delta channel.
        """
        if strategy not in (_KEEP_LATEST, _DELETE):
            raise BadOption("strategy", f"must be {_KEEP_LATEST!r} or {_DELETE!r}")
        for thread in map(str, thread_ids):
            if strategy == _DELETE:
                self.delete_thread(thread)
                continue
            with self._lock:
                self._graphs.delete(self._prunable(thread))

    # Internals

    def _load(self, stored: GraphCheckpoint) -> CheckpointTuple:
        values, writes = self._graphs.values(stored.spot), self._graphs.writes(stored.spot)
        return load_tuple(self.serde, stored, values, writes)

    def _matches(self, stored: GraphCheckpoint, wanted: dict[str, Any] | None) -> bool:
        if not wanted:
            return True
        metadata = load_metadata(self.serde, stored)
        return all(metadata.get(key) == value for key, value in wanted.items())

    def _files_for(
        self,
        key: GraphCheckpointKey,
        parent: str | None,
        checkpoint: Checkpoint,
        stored_metadata: Mapping[str, Any],
    ) -> GraphFiles:
        if self._files is None:
            return GraphFiles(None, key.namespace == ROOT)
        step = GraphStep(
            key, parent, str(stored_metadata.get("source")), stored_metadata.get("step")
        )
        if step.source == "fork":
            step = step._replace(twin=self._twin(key, parent, checkpoint))
        else:
            step = step._replace(nodes=self._nodes_run(key, parent, checkpoint))
        return self._files.at(step)

    def _twin(
        self, key: GraphCheckpointKey, parent: str | None, checkpoint: Checkpoint
    ) -> str | None:
        """Return the checkpoint that a fork copies: it has the same versions and parent."""
        for other in self._graphs.children(key.thread, key.namespace, parent):
            versions = load_body(self.serde, other).get("channel_versions")
            if versions == checkpoint["channel_versions"]:
                return other.spot.id
        return None

    def _nodes_run(
        self, key: GraphCheckpointKey, parent: str | None, checkpoint: Checkpoint
    ) -> builtins.list[str]:
        """Return the nodes that ran since the parent: those with new seen versions."""
        above = self._graphs.get(key.thread, key.namespace, parent) if parent else None
        before = load_body(self.serde, above).get("versions_seen", {}) if above else {}
        seen = checkpoint["versions_seen"]
        names = (name for name in seen if seen[name] != before.get(name))
        return sorted(name for name in names if not name.startswith("__"))

    def _prunable(self, thread: str) -> builtins.list[GraphCheckpointKey]:
        keys = self._graphs.spots(thread=thread, namespace=None, identifier=None, before=None)
        newest = {key.namespace: key for key in reversed(keys)}
        retained = {
            needed
            for key in newest.values()
            for needed in needed_keys(self._graphs, self.serde, key)
        }
        return [key for key in keys if key not in retained]
