"""Concurrent work: changes of other sessions that a restore would revert.

A change belongs to the session in its checkpoint; a checkpoint without a session belongs to a
person.  Changes that no checkpoint holds yet belong to nobody.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.diff.trees import diff_trees
from clew.model import path as paths
from clew.model.checkpoint import Checkpoint
from clew.model.parts import ConcurrentWork
from clew.operations.context import Context
from clew.operations.history.ancestry import line_from
from clew.operations.sessions.lineage import lineage_ids


def concurrent_work(
    context: Context, target: Checkpoint, now: Checkpoint, within: tuple[bytes, ...]
) -> tuple[ConcurrentWork, ...]:
    """Return the work of others than the attached session that a restore to `target` reverts."""
    sessions = context.store.sessions
    if not sessions.of(context.workspace):
        return ()
    attached = sessions.attached(context.workspace)
    own = lineage_ids(context, attached) if attached is not None else frozenset([b""])
    theirs = [
        checkpoint
        for checkpoint in _since(context, target, now)
        if checkpoint.record.position.session not in own
    ]
    if not theirs:
        return ()
    taken_back = _changed(context, target, now)
    found: dict[bytes, set[bytes]] = {}
    agents: dict[bytes, str] = {}
    for checkpoint in theirs:
        position, parent = checkpoint.record.position, _parent(context, checkpoint)
        if parent is None:
            continue
        changed = _changed(context, parent, checkpoint) & taken_back
        chosen = {path for path in changed if not within or _is_chosen(path, within)}
        found.setdefault(position.session, set()).update(chosen)
        agents[position.session] = position.agent
    return tuple(
        ConcurrentWork(session, agents[session], tuple(sorted(changed)))
        for session, changed in found.items()
        if changed
    )


def _since(context: Context, target: Checkpoint, now: Checkpoint) -> Iterator[Checkpoint]:
    """Yield the checkpoints from `now` back to its common ancestor with the target, newest first."""
    known = set(line_from(context, target.id))
    for identifier in line_from(context, now.id):
        if identifier in known:
            return
        checkpoint = context.store.checkpoints.get(identifier)
        if checkpoint is not None:
            yield checkpoint


def _parent(context: Context, checkpoint: Checkpoint) -> Checkpoint | None:
    """Return the parent of a checkpoint; None if it was deleted, because its author is then unknown."""
    parent = checkpoint.record.parent
    return context.store.checkpoints.get(parent) if parent is not None else None


def _changed(context: Context, old: Checkpoint, new: Checkpoint) -> set[bytes]:
    get = context.store.objects.get
    changes = diff_trees(old.record.tree, new.record.tree, get, mtimes=False)
    return {
        change.path
        for change in changes
        if (entry := change.new or change.old) is not None and not entry.is_directory
    }


def _is_chosen(path: bytes, within: tuple[bytes, ...]) -> bool:
    return any(paths.is_within(path, chosen) for chosen in within)
