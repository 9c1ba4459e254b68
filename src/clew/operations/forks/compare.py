"""Compare states, each described from their common ancestor."""

from __future__ import annotations

from collections.abc import Sequence

from clew.diff.compare_trees import changed_beside
from clew.diff.renames import pair_renames
from clew.diff.trees import count, diff_trees
from clew.errors import NoCommonAncestor
from clew.model.checkpoint import Checkpoint
from clew.model.named_tuple import NamedTuple
from clew.model.sandbox_results import ComparedState, Comparison
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.history.ancestry import nearest_common
from clew.operations.history.generated_directories import generated_directories
from clew.operations.history.story import story_between, story_side


class Asked(NamedTuple):
    """A state to compare, and the name it was given by."""

    name: str
    fork: str
    """The fork whose newest state it is; empty for a checkpoint."""
    checkpoint: Checkpoint


def compare_states(context: Context, asked: Sequence[Asked], monitor: Monitor) -> Comparison:
    """Compare states against their nearest common ancestor."""
    ancestor = _ancestor(context, asked, monitor)
    trees = [one.checkpoint.record.tree for one in asked]
    get = context.store.objects.get
    changed = changed_beside(ancestor.record.tree, trees, get)
    return Comparison(
        context.mark_here(ancestor),
        tuple(_side(context, ancestor, one) for one in asked),
        changed,
        generated_directories((one.path for one in changed), (*trees, ancestor.record.tree), get),
    )


def _ancestor(context: Context, asked: Sequence[Asked], monitor: Monitor) -> Checkpoint:
    found, passed = nearest_common(context, [one.checkpoint.id for one in asked])
    if found is None:
        raise NoCommonAncestor([one.name for one in asked])
    if passed:
        monitor.notice("The common ancestor was deleted; comparing with an earlier one")
    return context.find(found)


def _side(context: Context, ancestor: Checkpoint, one: Asked) -> ComparedState:
    checkpoint = one.checkpoint
    get = context.store.objects.get
    changes = diff_trees(ancestor.record.tree, checkpoint.record.tree, get, mtimes=False)
    story = story_between(context, story_side(context, ancestor), story_side(context, checkpoint))
    return ComparedState(
        one.name,
        one.fork,
        context.mark_here(checkpoint),
        count(pair_renames(list(changes))),
        story.without_paths(),
    )
