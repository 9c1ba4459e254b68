"""The files that belong to the moments of a graph: kept when a step ends, put back when it goes back.

For each thread it is known at which moment the workspace *stands*.  A run that starts from any other
moment went back or took a fork, and the files go there first.  A run that goes on where the thread
stands leaves the files as they are: whatever a person did to them meanwhile is part of what comes.
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
"""The key in a checkpoint's metadata that names the checkpoint of the workspace, in hex."""

ROOT = ""
"""The outermost graph; graphs inside it have names."""

_TAKEN_OVER = ("update", "fork")
"""Sources of moments that no node has made: their files are those of where they come from."""

logger = logging.getLogger(__name__)


class GraphStep(NamedTuple):
    """A moment that is about to be kept, as far as files are concerned."""

    spot: GraphCheckpointKey
    parent: str | None
    source: str
    number: int | None
    nodes: Sequence[str] = ()
    """Those that have just run."""
    twin: str | None = None
    """The moment that this one is a copy of."""


class GraphFiles(NamedTuple):
    """The files of a moment."""

    files: str | None
    stands: bool
    """Whether the workspace has them now."""


class Files:
    """The workspace, as the moments of a graph see it; the caller lets one thread in at a time."""

    def __init__(self, workspace: Workspace, graphs: Graphs) -> None:
        self._workspace = workspace
        self._graphs = graphs
        self._found: dict[str, str | None] = {}
        """What a run that has just begun found, by thread: its input is of that moment."""

    def at(self, step: GraphStep) -> GraphFiles:
        """Say which files belong to a moment, with a checkpoint of them where they changed."""
        spot = step.spot
        is_root = spot.namespace == ROOT
        found = self._found.pop(spot.thread, None) if is_root else None
        if step.source in _TAKEN_OVER and (step.twin or step.parent):
            standing = self._standing(spot.thread)
            origin = step.parent if step.parent == standing else step.twin or step.parent
            above = self._graphs.get(spot.thread, spot.namespace, origin)
            files = above.files if above is not None else None
            return GraphFiles(files, is_root and origin == standing)
        if step.source == "input" and found is not None:
            return GraphFiles(found, is_root)
        return GraphFiles(self._capture(_intent(step), spot), is_root)

    def follow(self, thread: str, namespace: str, identifier: str | None) -> None:
        """Before a run: bring the files to where it starts, if the workspace is not there."""
        start = self._graphs.get(thread, namespace, identifier)
        if start is None and identifier:
            return  # the library knows what to do with a name that nobody knows
        if start is None or (namespace == ROOT and start.spot.id == self._standing(thread)):
            spot = start.spot if start is not None else GraphCheckpointKey(thread, namespace, "")
            self._found[thread] = self._capture("Before a run of the graph", spot)
        else:
            self._found[thread] = self.go_to(start).here.id.hex()

    def go_to(self, moment: GraphCheckpoint) -> RestoreResult:
        """Put back the files of a moment; what is live is rescued, and `clew undo` brings it back."""
        if moment.files is None:
            raise UnknownReference(f"files of graph checkpoint {moment.spot.id}")
        result = self._workspace.restore(moment.files, parts=("files",))
        if result.is_partial:
            what = f"Not all files are those of {short(result.target.id)}"
            raise RestoreError(f"{what}, what is there now is {short(result.here.id)}")
        self._graphs.stand(moment.spot.thread, moment.spot.id)
        return result

    def _standing(self, thread: str) -> str | None:
        """Return where a thread stands: if nobody knows, at its newest moment."""
        known = self._graphs.standing(thread)
        if known is not None:
            return known
        newest = self._graphs.get(thread, ROOT)
        return newest.spot.id if newest is not None else None

    def _capture(self, intent: str, spot: GraphCheckpointKey) -> str | None:
        """Return the checkpoint that holds the live files; None where there cannot be one.

        A graph goes on without files rather than not at all; what is missing is said in the log,
        and going back there is refused.
        """
        try:
            result = self._workspace.save(
                intent,
                origin=Origin.HOOK,
                skip_unchanged=True,
                meta={"langgraph_thread": spot.thread, "langgraph_checkpoint": spot.id},
            )
        except (ClewError, OSError) as error:
            logger.warning(
                "The files of graph checkpoint %r were not kept: %s",
                spot.id,
                redact_words(str(error)),
            )
            return None
        return result.checkpoint.id.hex()


def _intent(step: GraphStep) -> str:
    nodes = ", ".join(step.nodes)
    if step.source == "input":
        return "Before a run of the graph"
    return f"Graph step {step.number}: {nodes}" if nodes else f"Graph step {step.number}"
