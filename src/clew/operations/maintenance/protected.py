"""What must not go: checkpoints that the workspace's present depends on."""

from __future__ import annotations

from clew.model.ids import CheckpointId
from clew.operations.context import Context
from clew.operations.restore.journal import JournalPlan

UNDO_STEPS = 10
"""So many steps back stay possible whatever the retention rules say."""


def restoring(context: Context) -> set[CheckpointId]:
    """Return what a restore that was cut short still needs."""
    unfinished = context.store.journal.unfinished(context.workspace)
    if unfinished is None:
        return set()
    plan = JournalPlan.decode(unfinished.plan)
    return {found for found in (plan.target, plan.base, plan.rescue) if found is not None}


def beginning(context: Context) -> set[CheckpointId]:
    """Return what a fork began with, if this is one."""
    fork = context.store.forks.get(context.workspace)
    if fork is None:
        return set()
    timeline = context.store.checkpoints.newest_first(context.workspace)
    return {one.id for one in timeline if one.record.parent == fork.base}


def forked_from(context: Context) -> set[CheckpointId]:
    """Return what forks that still exist grew from: their changes are told, and merged, against it."""
    return context.store.forks.bases()


def verified(context: Context) -> set[CheckpointId]:
    """Return what somebody ran a check on, whatever it said."""
    return context.store.verdicts.checkpoints(context.workspace)


def named_by_graphs(context: Context) -> set[CheckpointId]:
    """Return what the checkpoints of graphs name: a graph cannot go back to one without its files."""
    from clew.store.graphs import files_of_graphs  # noqa: PLC0415  few workspaces have graphs

    return files_of_graphs(context.store.layout, context.workspace)


def on_trail(context: Context) -> set[CheckpointId]:
    """Return what the nearest undo steps and every redo step lead to."""
    trail = context.store.trails.get(context.workspace)
    back = [
        identifier
        for _, identifier in trail.back
        if context.store.checkpoints.get(identifier) is not None  # undo passes over the deleted
    ]
    return {*back[:UNDO_STEPS], *(identifier for _, identifier in trail.forward)}
