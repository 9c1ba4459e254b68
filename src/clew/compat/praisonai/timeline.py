"""The turns of a session: kept with the session, so that the next process finds them.

Files and conversation of a turn are one checkpoint; what stands here is only which checkpoints are
turns that can still be taken back.
"""

from __future__ import annotations

from typing import Any

from clew.model.named_tuple import NamedTuple
from clew.workspace.session import Session

_KEY = "praisonai"


class Turn(NamedTuple):
    """One turn that can be taken back."""

    turn: int
    checkpoint_id: str
    short_id: str
    message: str
    message_count: int | None = None
    """How much had been said when it began; None where nothing is said at all."""


class Timeline(NamedTuple):
    """The turns, oldest first, and how many there ever were."""

    turns: tuple[Turn, ...] = ()
    counted: int = 0

    def with_turn(self, turn: Turn) -> Timeline:
        """Return the timeline one turn later."""
        return Timeline((*self.turns, turn), turn.turn)

    def before(self, turn: Turn) -> Timeline:
        """Return the timeline as it was before a turn began."""
        kept = tuple(one for one in self.turns if one.turn < turn.turn)
        return Timeline(kept, self.counted)


def read_timeline(session: Session) -> Timeline:
    """Return the turns of a session."""
    state: Any = session.state
    found = state.get(_KEY) if isinstance(state, dict) else None
    if not found:
        return Timeline()
    return Timeline(tuple(Turn(*one) for one in found["turns"]), found["counted"])


def write_timeline(session: Session, timeline: Timeline) -> None:
    """Keep the turns; what else the agent handed over stays."""
    state: Any = session.state
    others = state if isinstance(state, dict) else {}
    mine = {"turns": [list(one) for one in timeline.turns], "counted": timeline.counted}
    session.set_state({**others, _KEY: mine})
