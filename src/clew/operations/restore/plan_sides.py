"""The two sides of a restore plan: a checkpoint, and the live workspace."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.pattern import Patterns
from clew.model.small_objects import decode_links
from clew.operations.context import Context
from clew.operations.recorded_rules import recorded_rules
from clew.operations.restore.plan import Get, PlanSide
from clew.worktree.scan import ScanResult


def target_side(context: Context, checkpoint: Checkpoint) -> PlanSide:
    """Return a checkpoint as a side of a plan."""
    get = context.store.objects.get
    record = checkpoint.record
    rules = recorded_rules(context.store, record)
    return PlanSide(record.tree, tuple(decode_links(get(record.links))), Patterns(rules.patterns))


def live_side(context: Context, found: ScanResult, get: Get | None = None) -> PlanSide:
    """Return the live workspace, as just scanned, as a side of a plan."""
    groups = tuple(decode_links((get or context.store.objects.get)(found.links)))
    rules, outside = context.rules, frozenset(found.linked_outside)
    return PlanSide(found.tree, groups, Patterns(rules.patterns), outside, rules.larger_than)
