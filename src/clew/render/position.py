"""Who was at work at a checkpoint, and how far, in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.policy.labels import label
from clew.render import tasks, units
from clew.render.safe import safe_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clew.model.checkpoint import Checkpoint
    from clew.model.position import Position

_DIGITS = 8


def called(position: Position) -> str:
    """Return what a sentence calls the session of a position: `3f2a9c10 (claude-code 2.1)`."""
    agent = " ".join(safe_line(label(part)) for part in (position.agent, position.version) if part)
    number = position.session.hex()[:_DIGITS]
    return f"{number} ({agent})" if agent else number


def progress(checkpoint: Checkpoint) -> str:
    """Return `1.2 kB said, 2 of 5 tasks done, effect 3`; what there is of it."""
    position = checkpoint.record.position
    words = []
    if position.length:
        words.append(f"{units.size(position.length)} said")
    if checkpoint.tasks:
        words.append(tasks.progress(checkpoint.tasks))
    if position.effects:
        known = position.effects - len(position.forgotten)
        words.append(units.count(known, "effect on the outside", "effects on the outside"))
    if position.forgotten:
        words.append(f"{len(position.forgotten)} forgotten")
    return ", ".join(words)


def who(checkpoints: Sequence[Checkpoint]) -> list[str]:
    """Return who made each of some checkpoints; nothing at all where it was one and the same."""
    sessions = {one.record.position.session: one.record.position for one in checkpoints}
    if len(sessions) < 2:
        return [""] * len(checkpoints)
    names = _names(sessions.values())
    return [names[one.record.position.session] for one in checkpoints]


def _names(positions: Iterable[Position]) -> dict[bytes, str]:
    """Return a name for each session: its agent's, with digits where two agents share one."""
    every = list(positions)
    agents = [safe_line(label(one.agent), 24) for one in every]
    names = {}
    for position, agent in zip(every, agents, strict=True):
        digits = position.session.hex()[:_DIGITS]
        is_told_apart = agent and agents.count(agent) == 1
        names[position.session] = agent if is_told_apart else f"{agent} {digits}".strip()
    return names
