"""Rewrite a conversation: remove messages, or replace them all.

The start of the new conversation is compared with the stored one, so unchanged messages cost
nothing.  Checkpoints keep the conversation as it was.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

from clew.errors import BadOption
from clew.model.session import SessionInfo
from clew.operations.context import Context
from clew.operations.sessions.conversation import lines, take


def rewrite(
    context: Context,
    session: SessionInfo,
    contents: Sequence[bytes],
    up_to: int | None = None,
) -> None:
    """Replace a conversation by these messages; the caller holds the workspace.

    Messages that arrive meanwhile are appended; `up_to` is the last message that was known.
    """
    if session.transcript is not None:
        raise BadOption("messages", "the conversation of this session is in its transcript")
    store = context.store
    known = _last(store.sessions.pending(session.id)) if up_to is None else up_to
    lines = io.BytesIO(b"".join(content + b"\n" for content in contents))
    with store.writing() as writer:
        taken = take(session.conversation, lines.read, store.objects.get, writer.put)
        writer.finish()

        def commit() -> None:
            store.sessions.moved(session.id, taken.conversation, taken.length)
            store.sessions.forget_pending(session.id, known)

        store.commit_objects(writer, commit)


def remove_last(context: Context, session: SessionInfo, count: int) -> list[bytes]:
    """Remove the last messages of a conversation and return them, oldest first."""
    if count <= 0:
        return []
    store = context.store
    said = [*lines(session.conversation, store.objects.get)]
    pending = store.sessions.pending(session.id)
    said += [content for _, content in pending]
    said = [line for line in said if line.strip()]
    if said:
        context.host.fail_point("session.rewrite")
        rewrite(context, session, said[:-count], _last(pending))
    return said[-count:]


def _last(pending: Sequence[tuple[int, bytes]]) -> int:
    return pending[-1][0] if pending else 0
