"""Overview of a workspace, read from the catalogue: nothing is scanned or derived, no lock is taken.

A prompt asks for it before each command.
"""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.overview import AgentSeen, Overview
from clew.model.session import SessionInfo
from clew.operations.context import Context
from clew.worktree.agent_process import is_running


def overview(context: Context) -> Overview:
    """Return where the workspace is."""
    store, workspace = context.store, context.workspace
    here = context.here
    good = store.checkpoints.latest_passing(workspace) if here is not None else None
    newer = store.checkpoints.count_after(workspace, good.record.sequence) if good else 0
    return Overview(
        context.info,
        _with_headline(context, context.mark_here(here)) if here is not None else None,
        context.mark_here(good) if good is not None else None,
        newer,
        store.checkpoints.count(workspace),
        store.journal.unfinished(workspace) is not None,
        _agents(context),
    )


def _with_headline(context: Context, checkpoint: Checkpoint) -> Checkpoint:
    kept = context.store.stories.get(checkpoint.id)
    return checkpoint._replace(headline=kept.story.headline if kept is not None else None)


def _agents(context: Context) -> tuple[AgentSeen, ...]:
    sessions = context.store.sessions.of(context.workspace)
    events = context.store.desks.last_seen() if sessions else {}
    found = [
        AgentSeen(one.agent, one.native, max(one.seen_ns, events.get(one.id, 0)), _is_at_work(one))
        for one in sessions
    ]
    return tuple(sorted(found, key=lambda one: -one.heard_ns))


def is_changed(context: Context) -> bool:
    """Scan the workspace and return whether it differs from *here*; False before the first save."""
    from clew.monitor import Monitor  # noqa: PLC0415  most callers do not scan
    from clew.operations.save.scan import scan_live  # noqa: PLC0415

    here = context.here
    return here is not None and scan_live(context, Monitor())[0].state != here.record.state


def _is_at_work(session: SessionInfo) -> bool:
    return session.attached and not session.ended_ns and is_running(session.process) is True
