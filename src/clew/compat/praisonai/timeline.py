"""Turns of a session, stored in the session's state, so that the next process finds them.

A turn's files and conversation are in its checkpoint; this lists only the checkpoints of turns that
can still be reverted.
"""

from __future__ import annotations

from typing import Any

from clew.model.named_tuple import NamedTuple
from clew.workspace.session import Session

_KEY = "praisonai"


class Turn(NamedTuple):
    """One turn that can be reverted."""

    turn: int
    checkpoint_id: str
    short_id: str
    message: str
    message_count: int | None = None
    """Number of messages when it started; None without a conversation."""


class Timeline(NamedTuple):
    """The turns, oldest first, and the number of all turns so far."""

    turns: tuple[Turn, ...] = ()
    counted: int = 0

    def with_turn(self, turn: Turn) -> Timeline:
        """Return the timeline with one more turn."""
        return Timeline((*self.turns, turn), turn.turn)

    def before(self, turn: Turn) -> Timeline:
        """Return the timeline before a turn started."""
        earlier = tuple(one for one in self.turns if one.turn < turn.turn)
        return Timeline(earlier, self.counted)


def read_timeline(session: Session) -> Timeline:
    """Return the turns of a session."""
    state: Any = session.state
    found = state.get(_KEY) if isinstance(state, dict) else None
    if not found:
        return Timeline()
    return Timeline(tuple(Turn(*one) for one in found["turns"]), found["counted"])


def write_timeline(session: Session, timeline: Timeline) -> None:
    """Store the turns; other state of the agent is preserved."""
    state: Any = session.state
    others = state if isinstance(state, dict) else {}
    mine = {"turns": [list(one) for one in timeline.turns], "counted": timeline.counted}
    session.set_state({**others, _KEY: mine})
