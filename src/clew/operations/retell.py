"""A conversation that does not only grow: messages taken back, or told anew.

What the new conversation begins with is compared with what the store holds, so the messages that
stay cost nothing.  Checkpoints keep the conversation as it was.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

from clew.errors import BadOption
from clew.model.session import SessionInfo
from clew.operations.context import Context
from clew.operations.conversation import lines, take


def retell(context: Context, session: SessionInfo, contents: Sequence[bytes]) -> None:
    """Make a conversation exactly these messages; the caller holds the workspace.

    What is said meanwhile stands behind them.
    """
    if session.transcript is not None:
        raise BadOption("messages", "the conversation of this session is in its transcript")
    store = context.store
    pending = store.sessions.pending(session.id)
    up_to = pending[-1][0] if pending else 0
    told = io.BytesIO(b"".join(content + b"\n" for content in contents))
    with store.writing() as writer:
        taken = take(session.conversation, told.read, store.objects.get, writer.put)
        writer.finish()

        def commit() -> None:
            store.sessions.moved(session.id, taken.conversation, taken.length)
            store.sessions.forget_pending(session.id, up_to)

        store.commit_objects(writer, commit)


def take_back(context: Context, session: SessionInfo, count: int) -> list[bytes]:
    """Take the last messages out of a conversation and return them, oldest first."""
    if count <= 0:
        return []
    store = context.store
    said = [*lines(session.conversation, store.objects.get)]
    said += [content for _, content in store.sessions.pending(session.id)]
    said = [line for line in said if line.strip()]
    if said:
        retell(context, session, said[:-count])
    return said[-count:]
