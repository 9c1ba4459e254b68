"""Branches of a timeline: how listed checkpoints are connected, with forks and failed calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from clew.model.checkpoint import Checkpoint, ForkInfo
from clew.model.fact import Severity
from clew.model.failed_call import FailedCall
from clew.model.ids import CheckpointId
from clew.model.record import Origin
from clew.model.results import Branches, ForkPoint
from clew.model.story import Story
from clew.operations.context import Context
from clew.operations.forks.adopt import adopted_workspace
from clew.policy.labels import FAILED

_ROUTINE_FAMILIES = frozenset(("code", "generated", "log"))
_ROUTINE_CHANGES = 20
"""Changed paths of a routine checkpoint, at most."""

Parents = Mapping[CheckpointId, CheckpointId | None]
"""The parents of checkpoints, by their records."""


def branches(
    context: Context,
    listed: Sequence[Checkpoint],
    parents: Parents,
    derived: Mapping[CheckpointId, Story],
    *,
    with_forks: bool,
) -> Branches:
    """Return how `listed` checkpoints are connected.

    `parents` has all checkpoints that were read to find them, `derived` the stories that are not
    stored.
    """
    ids = {one.id for one in listed}
    connected = _connected(context, listed, parents)
    forks = tuple(_forks(context, ids)) if with_forks else ()
    failures = tuple(_failures(context, ids))
    return Branches(
        parents=connected,
        forks=forks,
        adopted=_adopted(context, listed) if forks else {},
        failures=failures,
        routine=_routine(context, listed, derived, _joints(connected, forks, failures)),
    )


def _connected(
    context: Context, listed: Sequence[Checkpoint], parents: Parents
) -> dict[CheckpointId, CheckpointId]:
    """Return the nearest listed ancestor of each checkpoint that has one."""
    ids = {one.id for one in listed}
    nearest: dict[CheckpointId, CheckpointId | None] = {}
    for one in listed:
        passed = []
        at = parents.get(one.id)
        while at is not None and at not in ids and at not in nearest:
            passed.append(at)
            at = parents[at] if at in parents else _parent_of_deleted(context, at)
        found = at if at is None or at in ids else nearest[at]
        nearest |= dict.fromkeys(passed, found)
        nearest[one.id] = found
    return {one.id: found for one in listed if (found := nearest[one.id]) is not None}


def _parent_of_deleted(context: Context, identifier: CheckpointId) -> CheckpointId | None:
    """Return the parent of a deleted checkpoint; one that exists is older than those listed."""
    if context.store.checkpoints.tombstone(identifier) is None:
        return None
    return context.store.checkpoints.parent(identifier)


def _forks(context: Context, listed: set[CheckpointId]) -> Iterator[ForkPoint]:
    for fork in context.store.forks.of(context.workspace):
        if fork.base in listed:
            yield _fork_point(context, fork)


def _fork_point(context: Context, fork: ForkInfo) -> ForkPoint:
    store = context.store
    here = store.trails.here(fork.workspace)
    tip = store.checkpoints.get(here) if here is not None else None
    saves = max(store.checkpoints.count(fork.workspace) - 1, 0)
    if tip is None or not saves:
        return ForkPoint(fork.name, fork.workspace, fork.base, fork.created_ns, saves)
    told = store.stories.get(tip.id)
    headline = told.story.headline if told is not None else tip.labels.intent
    return ForkPoint(fork.name, fork.workspace, fork.base, tip.record.time_ns, saves, headline)


def _adopted(context: Context, listed: Sequence[Checkpoint]) -> dict[CheckpointId, bytes]:
    found = {one.id: adopted_workspace(context, one) for one in listed if one.labels.meta}
    return {one: workspace for one, workspace in found.items() if workspace is not None}


def _failures(context: Context, listed: set[CheckpointId]) -> Iterator[FailedCall]:
    for failure in context.store.failures.newest_first(context.workspace):
        if failure.before in listed or failure.checkpoint in listed:
            yield failure


def _joints(
    parents: Mapping[CheckpointId, CheckpointId],
    forks: Sequence[ForkPoint],
    failures: Sequence[FailedCall],
) -> set[CheckpointId]:
    """Return the checkpoints at which something begins, or failed."""
    children = Counter(parents.values())
    found = {one for one, number in children.items() if number > 1}
    found |= {fork.base for fork in forks}
    return found | {one for failure in failures for one in (failure.before, failure.checkpoint)}


def _routine(
    context: Context,
    listed: Sequence[Checkpoint],
    derived: Mapping[CheckpointId, Story],
    joints: set[CheckpointId],
) -> frozenset[CheckpointId]:
    """Return the checkpoints of which several may be shown as one line without hiding anything.

    They are automatic steps on a straight line, without label, result or warning, and their facts
    are edits of code alone.
    """
    plain = [one for one in listed if one.id not in joints and _is_plain(one)]
    severities = context.store.stories.severities(context.workspace) if plain else {}
    found = set()
    for one in plain:
        story = derived.get(one.id)
        severity = severities.get(one.id) if story is None else story.severity
        if severity == Severity.NONE:
            kinds = (
                context.store.stories.kinds(one.id)
                if story is None
                else {fact.kind for fact in story.facts}
            )
            if kinds is not None and all(map(_is_about_code, kinds)):
                found.add(one.id)
    return frozenset(found)


def _is_plain(one: Checkpoint) -> bool:
    labels = one.labels
    return (
        one.record.origin in (Origin.HOOK, Origin.AUTOMATIC)
        and one.changes is not None
        and one.changes.total <= _ROUTINE_CHANGES
        and not one.changes.deleted
        and not (one.is_here or labels.named or labels.pinned or labels.notes or labels.description)
        and one.verdict is None
        and one.drill is None
        and one.record.coverage.complete
        and all(key != FAILED for key, _ in labels.meta)
    )


def _is_about_code(kind: str) -> bool:
    return kind.partition(".")[0] in _ROUTINE_FAMILIES and not kind.endswith(".deleted")
