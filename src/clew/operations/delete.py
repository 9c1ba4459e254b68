"""Delete: checkpoints become tombstones, and their bytes are freed.

With a purge nothing is left of what only they held, a leaked secret for instance; what other
checkpoints hold as well is said, because those bytes stay.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from clew.errors import IsNeeded, StoreDamaged
from clew.model.checkpoint import Checkpoint
from clew.model.ids import CheckpointId, ObjectId, ObjectType, object_id, short
from clew.model.results import DeleteResult
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.protected import restoring
from clew.store.gc import gc
from clew.store.mark import follower, live_records
from clew.store.needs import Numbers, who_needs
from clew.store.purge import begin_purge, finish_purge
from clew.store.room import with_reserve

_EMPTY = object_id(ObjectType.BLOB, b"")

Pieces = dict[ObjectId, set[ObjectId]]
"""The blobs of a checkpoint, and the file contents that each is a part of."""


def delete(
    context: Context, identifiers: Sequence[CheckpointId], purge: bool, monitor: Monitor
) -> DeleteResult:
    """Delete checkpoints for good; takes its own locks, so the caller holds none."""
    store = context.store
    store.require_writable()
    with store.locks.workspace(context.workspace, monitor), store.locks.shared(monitor):
        chosen = _chosen(context, identifiers)
        pieces = [_pieces(context, checkpoint) for checkpoint in chosen] if purge else []
        with_reserve(store.layout, lambda: bury(context, [one.id for one in chosen], purge=purge))
    if purge:
        freed = finish_purge(store, monitor).freed_bytes
        return DeleteResult(tuple(chosen), freed, _still_held(context, chosen, pieces))
    try:
        return DeleteResult(tuple(chosen), gc(store, monitor).freed_bytes)
    except StoreDamaged as error:
        return DeleteResult(
            tuple(chosen), 0, (f"Nothing was freed, the store is damaged: {error}",)
        )


def bury(context: Context, identifiers: Sequence[CheckpointId], *, purge: bool = False) -> None:
    """Turn checkpoints into tombstones, all or none."""
    store = context.store
    positions = [context.find(one).record.position for one in identifiers] if purge else []
    with store.database.transaction():
        store.checkpoints.bury(identifiers, purge=purge)
        for position in positions:
            if position.conversation is not None:
                store.sessions.drop_conversation(position.conversation)
        if purge:
            begin_purge(store)


def _chosen(context: Context, identifiers: Sequence[CheckpointId]) -> list[Checkpoint]:
    chosen = [context.find(identifier) for identifier in dict.fromkeys(identifiers)]
    here, unfinished = context.here, restoring(context)
    for checkpoint in chosen:
        if here is not None and checkpoint.id == here.id:
            raise IsNeeded(short(checkpoint.id), "the workspace is there")
        if checkpoint.id in unfinished:
            raise IsNeeded(short(checkpoint.id), "a restore that was cut short needs it")
    return chosen


def _pieces(context: Context, checkpoint: Checkpoint) -> Pieces | None:
    """Return the blobs that a checkpoint holds; None when that cannot be told any more."""
    follow = follower(context.store.objects.get)
    found: Pieces = {}
    position = checkpoint.record.position
    ahead, seen = [(ObjectType.TREE, checkpoint.record.tree)], set[ObjectId]()
    if position.conversation is not None:
        ahead.append((ObjectType.CONVERSATION, position.conversation))
    if position.tasks is not None:
        found[position.tasks] = {position.tasks}
    try:
        while ahead:
            above = ahead.pop()
            if above[1] in seen:
                continue
            seen.add(above[1])
            for kind, identifier in follow(*above):
                if kind in (ObjectType.TREE, ObjectType.CONVERSATION):
                    ahead.append((kind, identifier))
                elif kind == ObjectType.BLOB:
                    found.setdefault(identifier, set()).add(identifier)
                elif kind == ObjectType.CHUNKLIST:
                    for _, chunk in follow(kind, identifier):
                        found.setdefault(chunk, set()).add(identifier)
    except StoreDamaged:
        return None
    found.pop(_EMPTY, None)  # everybody has it, and it gives nothing away
    return found


def _still_held(
    context: Context, deleted: Sequence[Checkpoint], pieces: Sequence[Pieces | None]
) -> tuple[str, ...]:
    """Say which of the files live on in other checkpoints."""
    store = context.store
    wanted: dict[ObjectId, Numbers] = {}
    for number, held in enumerate(pieces):
        for identifier in held or ():
            wanted[identifier] = wanted.get(identifier, frozenset()) | {number}
    needs = who_needs(live_records(store), wanted, follower(store.objects.get))
    notes = []
    for number, (checkpoint, held) in enumerate(zip(deleted, pieces, strict=True)):
        if held is None:
            notes.append(f"What {short(checkpoint.id)} held cannot be told: it was damaged")
            continue
        files = set[ObjectId]().union(*(held[one] for one in needs.reached & held.keys()))
        if files:
            notes.append(_sentence(checkpoint, len(files), needs.checkpoints[number]))
    aside = os.listdir(store.layout.quarantine)
    if aside:
        notes.append(f"The {len(aside)} files in quarantine/ were not looked at")
    return tuple(notes)


def _sentence(checkpoint: Checkpoint, files: int, holders: Sequence[CheckpointId]) -> str:
    what = f"{files} of the files in {short(checkpoint.id)} {'is' if files == 1 else 'are'}"
    more = f" and {len(holders) - 1} more" if len(holders) > 1 else ""
    return f"{what} also, whole or in part, in {short(holders[-1])}{more}"
