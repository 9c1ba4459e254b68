"""The agent's own state: any JSON value, stored with its session."""

from __future__ import annotations

import json

from clew.errors import BadOption
from clew.model.session import SessionInfo
from clew.operations.context import Context

MOST_BYTES = 16 << 20


def state_of(session: SessionInfo) -> object:
    """Return the last stored state; None if there is none."""
    return None if session.state is None else json.loads(session.state)


def set_state(context: Context, session: SessionInfo, state: object) -> None:
    """Store an agent's state, replacing the previous one."""
    context.store.require_writable()
    context.store.sessions.set_state(session.id, encoded(state))


def encoded(state: object) -> bytes:
    """Return a state as stored; `BadOption` if it is not JSON, or too large."""
    try:
        content = json.dumps(state, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise BadOption("state", f"not a JSON value: {error}") from error
    if len(content) > MOST_BYTES:
        raise BadOption("state", f"larger than {MOST_BYTES} bytes")
    return content
