"""Show sessions: all of them in a list, or one in full."""

from __future__ import annotations

from clew.errors import StoreDamaged
from clew.model.checkpoint import Checkpoint
from clew.model.conversation import Get, blobs, decode_parts
from clew.model.ids import ObjectId
from clew.model.session import SessionInfo
from clew.model.session_results import Said, SessionShown, SessionSummary
from clew.operations.context import Context
from clew.operations.sessions.sessions import with_end
from clew.operations.sessions.task_lists import with_all_tasks
from clew.policy.message_line import said

_CHECKPOINTS = 10
_MOST_BYTES = 4 << 20
"""How far back from the end of a conversation the start of a line is searched."""


def summaries(context: Context) -> list[SessionSummary]:
    """Return every session of the workspace, newest first."""
    counts: dict[bytes, int] = {}
    for checkpoint in context.store.checkpoints.newest_first(context.workspace):
        identifier = checkpoint.record.position.session
        counts[identifier] = counts.get(identifier, 0) + 1
    store = context.store
    return [
        SessionSummary(
            with_end(context, info), tuple(store.tasks.of(info.id)), counts.get(info.id, 0)
        )
        for info in store.sessions.of(context.workspace)
    ]


def session_shown(context: Context, info: SessionInfo, messages: int) -> SessionShown:
    """Return a session with its tasks, effects, newest checkpoints and last messages."""
    store = context.store
    own = [
        checkpoint
        for checkpoint in store.checkpoints.newest_first(context.workspace)
        if checkpoint.record.position.session == info.id
    ]
    return SessionShown(
        with_end(context, info),
        tuple(store.tasks.of(info.id)),
        tuple(one for one in store.effects.of(context.workspace) if one.session == info.text_id),
        tuple(_in_full(context, own[:_CHECKPOINTS])),
        len(own),
        tuple(_last_said(context, info, messages)),
        len(store.sessions.pending(info.id)),
    )


def _in_full(context: Context, checkpoints: list[Checkpoint]) -> list[Checkpoint]:
    headlines = context.store.stories.headlines(context.workspace)
    found = []
    for checkpoint in with_all_tasks(context, map(context.mark_here, checkpoints)):
        kept = headlines.get(checkpoint.id)
        found.append(checkpoint._replace(headline=kept.headline if kept else None))
    return found


def _last_said(context: Context, info: SessionInfo, count: int) -> list[Said]:
    """Return the last messages, including those that no checkpoint holds yet."""
    pending = [content for _, content in context.store.sessions.pending(info.id)]
    lines = pending[max(len(pending) - count, 0) :]
    try:
        taken = last_lines(info.conversation, context.store.objects.get, count - len(lines))
    except (StoreDamaged, ValueError):
        taken = []  # the rest is worth showing; `clew fsck` reports the damage
    return [said(line) for line in taken + lines]


def last_lines(conversation: ObjectId | None, get: Get, count: int) -> list[bytes]:
    """Return the last complete lines, oldest first; fewer if a line is too long."""
    if conversation is None or count <= 0:
        return []
    found = b""
    is_whole = True
    for part in blobs(decode_parts(get(conversation)), get, from_the_end=True):
        if len(found) >= _MOST_BYTES or found.count(b"\n") > count:
            is_whole = False
            break
        found = get(part.identifier) + found
    lines = found.split(b"\n")
    if not is_whole:
        lines = lines[1:]  # its beginning was not read
    return [line for line in lines if line.strip()][-count:]
