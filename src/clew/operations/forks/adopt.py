"""Adopt: merge the changes of a fork; the base is the checkpoint it was created from.

A fork can be adopted again after more work in it.  The base is then what was adopted last, if that
is in the workspace's past: an adopt that was undone does not count.
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.errors import NoCommonAncestor
from clew.model.checkpoint import Checkpoint, ForkInfo
from clew.model.ids import CheckpointId
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.forks.list_forks import find_fork, fork_tip
from clew.operations.forks.merge_draft import MergeRequest, require_side
from clew.operations.history.ancestry import line_from
from clew.operations.restore.path_selection import require_paths

ADOPTED = "adopted"
"""The metadata key with the checkpoint of a fork that a checkpoint contains."""


def adopting(
    context: Context, name: str, chosen: Sequence[bytes], favour: str | None, monitor: Monitor
) -> MergeRequest:
    """Return the merge that brings the changes of a fork into the workspace.

    The fork's unsaved work is saved first, under the fork's own lock.
    """
    require_side(favour)
    fork = find_fork(context, name)
    tip = fork_tip(context, fork, monitor)
    require_paths(context, tip, chosen)
    within = () if b"" in chosen else tuple(chosen)
    return MergeRequest(
        base=_base(context, fork, tip),
        theirs=tip,
        intent=f"adopted {fork.name}",
        rescue_intent=f"before adopting {fork.name}",
        name=fork.name,
        # A partial adopt says nothing about the rest.
        meta=() if within else ((ADOPTED, tip.id.hex()),),
        within=within,
        favour=favour,
    )


def _base(context: Context, fork: ForkInfo, tip: Checkpoint) -> Checkpoint:
    """Return the last common state of both lines of work."""
    there = list(line_from(context, tip.id))
    here = context.here
    for identifier in line_from(context, here.id) if here is not None else ():
        if identifier == fork.base:
            break
        adopted = _adopted_by(context, identifier)
        if adopted is not None and adopted.id in there:
            return adopted
    return _grown_from(context, fork, there)


def _adopted_by(context: Context, identifier: CheckpointId) -> Checkpoint | None:
    """Return the checkpoint of a fork that a checkpoint of this workspace contains, if any."""
    checkpoint = context.store.checkpoints.get(identifier)
    said = dict(checkpoint.labels.meta).get(ADOPTED, "") if checkpoint is not None else ""
    try:
        return context.store.checkpoints.get(CheckpointId(bytes.fromhex(said)))
    except ValueError:  # metadata can be written by anyone
        return None


def adopted_workspace(context: Context, checkpoint: Checkpoint) -> bytes | None:
    """Return the workspace of the fork that a checkpoint adopted, if that can be told."""
    said = dict(checkpoint.labels.meta).get(ADOPTED)
    adopted = _adopted_by(context, checkpoint.id) if said else None
    return adopted.record.workspace if adopted is not None else None


def _grown_from(context: Context, fork: ForkInfo, there: Sequence[CheckpointId]) -> Checkpoint:
    """Return the checkpoint that a fork was created from, or its own first, with the same tree."""
    base = context.store.checkpoints.get(fork.base)
    if base is not None:
        return base
    for identifier in there:
        own = context.store.checkpoints.get(identifier)
        if own is not None and own.record.parent == fork.base:
            return own
    raise NoCommonAncestor([fork.name])
