"""Looks at databases: what running servers say after a checkpoint, stored beside it.

The server runs on while a checkpoint is taken, and answers later; so its answer is no part of the
captured state, and has a time of its own.  The process that derives missing stories asks, never a
save or a hook; and only if the setting is on.
"""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.database_look import DatabaseLook
from clew.model.ids import CheckpointId
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.story.looked import looked_facts

LIVE_DATABASES = "story.live-databases"
"""The setting that turns it on or off."""

_LATEST_NS = 120 * 1_000_000_000
"""A server that is asked later says nothing about the checkpoint."""


def is_look_due(context: Context, tried: set[CheckpointId]) -> bool:
    """Return whether the newest checkpoint lacks a look, and is not in `tried`."""
    return _due(context, tried) is not None


def look_at_databases(context: Context, tried: set[CheckpointId]) -> Checkpoint | None:
    """Store a look beside the newest checkpoint; return it if its story changes thereby.

    The checkpoint is added to `tried`.  It takes its own locks, so the caller holds none.
    """
    with context.store.locks.shared(Monitor()):
        checkpoint = _due(context, tried)
    if checkpoint is None:
        return None
    tried.add(checkpoint.id)
    servers = context.host.look_at_servers(context.root)
    if not servers:
        return None
    look = DatabaseLook(context.host.now_ns(), servers)
    with context.store.locks.shared(Monitor()):
        context.store.looks.put(checkpoint.id, look)
        since, _ = context.store.checkpoints.surviving(checkpoint.record.parent)
        before = context.store.looks.get(since) if since is not None else None
    return checkpoint if looked_facts(before, look) else None


def _due(context: Context, tried: set[CheckpointId]) -> Checkpoint | None:
    store = context.store
    if store.settings.all(context.workspace).get(LIVE_DATABASES) != "on":
        return None
    checkpoint = store.checkpoints.latest(context.workspace)
    if checkpoint is None or checkpoint.id in tried or store.looks.get(checkpoint.id) is not None:
        return None
    age = context.host.now_ns() - checkpoint.record.time_ns
    return checkpoint if 0 <= age < _LATEST_NS else None
