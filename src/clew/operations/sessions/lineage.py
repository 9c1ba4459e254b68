"""Lineage: a session and those that it continues, after a migration, a restore or a fork."""

from __future__ import annotations

from clew.model.session import SessionInfo
from clew.operations.context import Context


def lineage(context: Context, session: SessionInfo) -> list[SessionInfo]:
    """Return a session and its origins, the session itself first."""
    found = [session]
    seen = {session.id}
    while found[-1].origin is not None and found[-1].origin not in seen:
        origin = context.store.sessions.get(found[-1].origin)
        if origin is None:
            break
        found.append(origin)
        seen.add(origin.id)
    return found


def lineage_ids(context: Context, session: SessionInfo) -> frozenset[bytes]:
    """Return the ids that checkpoints of a session's own past may have."""
    return frozenset(one.id for one in lineage(context, session))
