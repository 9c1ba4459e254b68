"""Files of graph checkpoints: saved when a step ends, restored when a run starts elsewhere.

For each thread, the store records the graph checkpoint that the workspace is at.  A run that starts
from another one went back or forked, and its files are restored first.  A run that continues from the
current one does not change the files: edits that a user made in the meantime are preserved.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

from clew.errors import ClewError, RestoreError, UnknownReference
from clew.model.ids import short
from clew.model.record import Origin
from clew.model.restore_results import RestoreResult
from clew.policy.redaction.redact import redact_words
from clew.store.graphs import GraphCheckpoint, GraphCheckpointKey, Graphs
from clew.workspace import Workspace

CLEW_CHECKPOINT = "clew_checkpoint"
"""The metadata key with the id of the workspace checkpoint, in hex."""

ROOT = ""
"""The namespace of the outermost graph; subgraphs have names."""

_TAKEN_OVER = ("update", "fork")
"""Sources of checkpoints that no node created: they have the files of their origin."""

logger = logging.getLogger(__name__)


class GraphStep(NamedTuple):
    """A graph checkpoint to be stored, as far as files are concerned."""

    key: GraphCheckpointKey
    parent: str | None
    source: str
    number: int | None
    nodes: Sequence[str] = ()
    """The nodes that have just run."""
    twin: str | None = None
    """The checkpoint that this one is a copy of."""


class GraphFiles(NamedTuple):
    """The files of a graph checkpoint."""

    files: str | None
    is_current: bool
    """Whether the workspace now has these files."""


class Files:
    """Saves and restores files for graph checkpoints; the caller serialises threads."""

    def __init__(self, workspace: Workspace, graphs: Graphs) -> None:
        self._workspace = workspace
        self._graphs = graphs
        self._found: dict[str, str | None] = {}
        """The workspace checkpoint at the start of a run, by thread; its input has these files."""

    def at(self, step: GraphStep) -> GraphFiles:
        """Return the files of a graph checkpoint, saving the workspace if they changed."""
        key = step.key
        is_root = key.namespace == ROOT
        found = self._found.pop(key.thread, None) if is_root else None
        if step.source in _TAKEN_OVER and (step.twin or step.parent):
            current = self._current_id(key.thread)
            origin = step.parent if step.parent == current else step.twin or step.parent
            above = self._graphs.get(key.thread, key.namespace, origin)
            files = above.files if above is not None else None
            return GraphFiles(files, is_root and origin == current)
        if step.source == "input" and found is not None:
            return GraphFiles(found, is_root)
        return GraphFiles(self._capture(_intent(step), key), is_root)

    def follow(self, thread: str, namespace: str, identifier: str | None) -> None:
        """Before a run: restore the files of its start, unless the workspace is at that checkpoint."""
        start = self._graphs.get(thread, namespace, identifier)
        if start is None and identifier:
            return  # the library reports an unknown id
        if start is None or (namespace == ROOT and start.spot.id == self._current_id(thread)):
            key = start.spot if start is not None else GraphCheckpointKey(thread, namespace, "")
            self._found[thread] = self._capture("Before a run of the graph", key)
        else:
            self._found[thread] = self.go_to(start).here.id.hex()

    def go_to(self, stored: GraphCheckpoint) -> RestoreResult:
        """Restore the files of a graph checkpoint; the current state is saved as a rescue first."""
        if stored.files is None:
            raise UnknownReference(f"files of graph checkpoint {stored.spot.id}")
        result = self._workspace.restore(stored.files, parts=("files",))
        if result.is_partial:
            what = f"Partial restore of checkpoint {short(result.target.id)}"
            raise RestoreError(f"{what}; the current state is {short(result.here.id)}")
        self._graphs.stand(stored.spot.thread, stored.spot.id)
        return result

    def _current_id(self, thread: str) -> str | None:
        """Return the checkpoint that a thread is at; by default its newest."""
        known = self._graphs.standing(thread)
        if known is not None:
            return known
        newest = self._graphs.get(thread, ROOT)
        return newest.spot.id if newest is not None else None

    def _capture(self, intent: str, key: GraphCheckpointKey) -> str | None:
        """Return the id of a checkpoint of the live files; None if saving failed.

        A failure does not stop the graph: it is logged, and restoring these files is refused later.
        """
        try:
            result = self._workspace.save(
                intent,
                origin=Origin.HOOK,
                skip_unchanged=True,
                meta={"langgraph_thread": key.thread, "langgraph_checkpoint": key.id},
            )
        except (ClewError, OSError) as error:
            logger.warning(
                "The files of graph checkpoint %r were not saved: %s",
                key.id,
                redact_words(str(error)),
            )
            return None
        return result.checkpoint.id.hex()


def _intent(step: GraphStep) -> str:
    nodes = ", ".join(step.nodes)
    if step.source == "input":
        return "Before a run of the graph"
    return f"Graph step {step.number}: {nodes}" if nodes else f"Graph step {step.number}"
