"""Delete checkpoints: they become tombstones, and their space is freed.

A purge erases what only they held, for example a leaked secret (`purge.py`); bytes that others hold
too stay, and are reported (`remaining_bytes.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.errors import CheckpointInUse, StoreDamaged
from clew.model.checkpoint import Checkpoint
from clew.model.ids import CheckpointId, ObjectId, short
from clew.model.results import DeleteResult
from clew.model.retention import RetentionRule
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.maintenance.protected import restoring
from clew.store.gc import gc
from clew.store.purge import begin_purge, forget_rows
from clew.store.reserve import with_reserve


def delete(
    context: Context, identifiers: Sequence[CheckpointId], purge: bool, monitor: Monitor
) -> DeleteResult:
    """Delete checkpoints; takes its own locks, so the caller holds none."""
    if purge:
        return _purge(context, identifiers, monitor)
    store = context.store
    store.require_writable()
    with store.locks.workspace(context.workspace, monitor), store.locks.shared(monitor):
        chosen = _chosen(context, identifiers)
        with_reserve(store.layout, lambda: make_tombstones(context, [one.id for one in chosen]))
    try:
        return DeleteResult(tuple(chosen), gc(store, monitor).freed_bytes)
    except StoreDamaged as error:
        return DeleteResult(
            tuple(chosen), 0, (f"No space was freed, the store is damaged: {error}",)
        )


def _purge(context: Context, identifiers: Sequence[CheckpointId], monitor: Monitor) -> DeleteResult:
    context.store.require_writable()
    with context.store.locks.purging(monitor):
        return _purge_alone(context, identifiers, monitor)


def _purge_alone(
    context: Context, identifiers: Sequence[CheckpointId], monitor: Monitor
) -> DeleteResult:
    from clew.operations.maintenance.purge import finish_purge  # noqa: PLC0415  what few deletions need
    from clew.operations.maintenance.remaining_bytes import held_by, still_held  # noqa: PLC0415

    store = context.store
    with store.locks.workspace(context.workspace, monitor), store.locks.shared(monitor):
        chosen = _chosen(context, identifiers)
        held = [held_by(context, checkpoint) for checkpoint in chosen]
        for checkpoint in chosen:
            if checkpoint.record.position.session:
                store.desks.forget_words(checkpoint.record.position.session)
        objects = None
        if all(one.is_whole for one in held):
            objects = set[ObjectId]().union(*(one.objects for one in held))
        with_reserve(
            store.layout,
            lambda: make_tombstones(context, [one.id for one in chosen], purge=True, held=objects),
        )
    purged = finish_purge(store, monitor)
    with store.locks.shared(monitor):
        found = still_held(context, held)
    return DeleteResult(
        tuple(chosen), purged.collected.freed_bytes, found.sentences, found.held_by,
        purged.searched, purged.remaining, purged.notes,
    )  # fmt: skip


def make_tombstones(
    context: Context,
    identifiers: Sequence[CheckpointId],
    *,
    purge: bool = False,
    held: set[ObjectId] | None = None,
    rule: str = RetentionRule.DELETE,
) -> None:
    """Turn checkpoints into tombstones that name the rule, all or none.

    `held` are the objects that a purge erases.
    """
    store = context.store
    records = [(one, context.find(one).record) for one in identifiers] if purge else []
    with store.database.transaction():
        store.checkpoints.bury(identifiers, purge=purge, rule=rule)
        for identifier, record in records:
            forget_rows(store, identifier, record)
        if purge:
            _drop_conversations(context, [record.position.conversation for _, record in records])
            begin_purge(store, held)


def _drop_conversations(context: Context, conversations: Sequence[ObjectId | None]) -> None:
    """Remove references of sessions to what only deleted checkpoints held."""
    store = context.store
    kept = {record.position.conversation for _, record in store.checkpoints.live_records()}
    for conversation in conversations:
        if conversation is not None and conversation not in kept:
            store.sessions.drop_conversation(conversation)


def _chosen(context: Context, identifiers: Sequence[CheckpointId]) -> list[Checkpoint]:
    chosen = [context.find(identifier) for identifier in dict.fromkeys(identifiers)]
    here, unfinished = context.here, restoring(context)
    for checkpoint in chosen:
        if here is not None and checkpoint.id == here.id:
            raise CheckpointInUse(short(checkpoint.id), "it is the current one")
        if checkpoint.id in unfinished:
            raise CheckpointInUse(short(checkpoint.id), "an interrupted restore needs it")
    return chosen
