"""Authors of checkpoints: a person, an agent, or clew itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.record import Origin
from clew.model.shorten import shorten_to_width
from clew.policy.labels import label
from clew.render.safe import safe_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.model.checkpoint import Checkpoint
    from clew.model.position import Position

YOU = "you"
CLEW = "clew"
_DIGITS = 8
_WIDEST = 10
_ENDINGS = ("-code", "-cli", "-agent-sdk")


class Names:
    """The names of the authors of a timeline."""

    def __init__(self, positions: Iterable[Position], *, has_agents: bool) -> None:
        sessions = {one.session: one for one in positions if one.session}
        self._full = {one: _agent(found) for one, found in sessions.items()}
        self._has_agents = has_agents
        agents = list(self._full.values())
        self._ambiguous = {name for name in agents if agents.count(name) > 1}

    def author(self, checkpoint: Checkpoint) -> str:
        """Return a short name; empty if a person made all checkpoints."""
        if not self._has_agents:
            return ""
        if checkpoint.is_rescue:
            return CLEW
        if checkpoint.record.position.session:
            return self.of_session(checkpoint.record.position.session)
        return CLEW if checkpoint.record.origin == Origin.AUTOMATIC else YOU

    def of_session(self, session: bytes) -> str:
        """Return the short name of a session's agent."""
        name = self._full.get(session, "")
        for ending in _ENDINGS:
            name = name.removesuffix(ending)
        return shorten_to_width(name, _WIDEST)

    def heading(self, checkpoint: Checkpoint) -> str:
        """Return the agent's name, with the session's id if several sessions have that agent."""
        session = checkpoint.record.position.session
        name = self._full.get(session, "")
        return f"{name} {session.hex()[:_DIGITS]}" if name in self._ambiguous else name


def names(checkpoints: Iterable[Checkpoint]) -> Names:
    """Return the names of the authors of some checkpoints."""
    positions = [one.record.position for one in checkpoints]
    return Names(positions, has_agents=any(one.session for one in positions))


def _agent(position: Position) -> str:
    return safe_line(label(position.agent), 40) or "agent"
