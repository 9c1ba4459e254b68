"""An agent's own state: any JSON value that it hands over, kept with its session."""

from __future__ import annotations

import json

from clew.errors import BadOption
from clew.model.session import SessionInfo
from clew.operations.context import Context

MOST_BYTES = 16 << 20


def state_of(session: SessionInfo) -> object:
    """Return what the agent handed over last; None where it never did."""
    return None if session.state is None else json.loads(session.state)


def set_state(context: Context, session: SessionInfo, state: object) -> None:
    """Keep an agent's state in place of the one before."""
    context.store.require_writable()
    context.store.sessions.set_state(session.id, encoded(state))


def encoded(state: object) -> bytes:
    """Return a state as it is kept; `BadOption` where it is no JSON value, or too large."""
    try:
        content = json.dumps(state, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise BadOption("state", f"not a JSON value: {error}") from error
    if len(content) > MOST_BYTES:
        raise BadOption("state", f"larger than {MOST_BYTES} bytes")
    return content
