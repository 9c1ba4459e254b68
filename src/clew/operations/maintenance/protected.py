"""Protected checkpoints: those that the current state of the workspace depends on."""

from __future__ import annotations

from clew.model.ids import CheckpointId
from clew.operations.context import Context
from clew.operations.restore.journal import JournalPlan

UNDO_STEPS = 10
"""Undo steps that stay possible whatever the retention rules say."""


def restoring(context: Context) -> set[CheckpointId]:
    """Return the checkpoints that an interrupted restore needs."""
    unfinished = context.store.journal.unfinished(context.workspace)
    if unfinished is None:
        return set()
    plan = JournalPlan.decode(unfinished.plan)
    return {found for found in (plan.target, plan.base, plan.rescue) if found is not None}


def beginning(context: Context) -> set[CheckpointId]:
    """Return the first checkpoint of a fork, if this is one."""
    fork = context.store.forks.get(context.workspace)
    if fork is None:
        return set()
    timeline = context.store.checkpoints.newest_first(context.workspace)
    return {one.id for one in timeline if one.record.parent == fork.base}


def forked_from(context: Context) -> set[CheckpointId]:
    """Return the checkpoints that existing forks were created from: the bases of their merges."""
    return context.store.forks.bases()


def verified(context: Context) -> set[CheckpointId]:
    """Return the checkpoints that a check was run on, whatever its verdict."""
    return context.store.verdicts.checkpoints(context.workspace)


def named_by_graphs(context: Context) -> set[CheckpointId]:
    """Return the checkpoints that graphs name: a graph cannot return to one without its files."""
    from clew.store.graphs import files_of_graphs  # noqa: PLC0415  few workspaces have graphs

    return files_of_graphs(context.store.layout, context.workspace)


def on_trail(context: Context) -> set[CheckpointId]:
    """Return the checkpoints of the nearest undo steps and of every redo step."""
    trail = context.store.trails.get(context.workspace)
    back = [
        identifier
        for _, identifier in trail.back
        if context.store.checkpoints.get(identifier) is not None  # undo skips deleted checkpoints
    ]
    return {*back[:UNDO_STEPS], *(identifier for _, identifier in trail.forward)}
