"""Text of a checkpoint's position: the session, its agent and its progress."""

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
    """Return the session for use in a sentence: `3f2a9c10 (claude-code 2.1)`."""
    agent = " ".join(safe_line(label(part)) for part in (position.agent, position.version) if part)
    number = position.session.hex()[:_DIGITS]
    return f"{number} ({agent})" if agent else number


def progress(checkpoint: Checkpoint) -> str:
    """Return `1.2 kB of conversation, 2 of 5 tasks done, 3 effects`, without the empty parts."""
    position = checkpoint.record.position
    words = []
    if position.length:
        words.append(f"{units.size(position.length)} of conversation")
    if checkpoint.tasks:
        words.append(tasks.progress(checkpoint.tasks))
    if position.effects:
        known = position.effects - len(position.forgotten)
        words.append(units.count(known, "effect"))
    if position.forgotten:
        words.append(f"{len(position.forgotten)} forgotten")
    return ", ".join(words)


def who(checkpoints: Sequence[Checkpoint]) -> list[str]:
    """Return the author of each checkpoint; empty strings if all have the same one."""
    sessions = {one.record.position.session: one.record.position for one in checkpoints}
    if len(sessions) < 2:
        return [""] * len(checkpoints)
    names = _names(sessions.values())
    return [names[one.record.position.session] for one in checkpoints]


def _names(positions: Iterable[Position]) -> dict[bytes, str]:
    """Return a name for each session: its agent, with digits if two sessions have the same agent."""
    every = list(positions)
    agents = [safe_line(label(one.agent), 24) for one in every]
    names = {}
    for position, agent in zip(every, agents, strict=True):
        digits = position.session.hex()[:_DIGITS]
        is_unique = agent and agents.count(agent) == 1
        names[position.session] = agent if is_unique else f"{agent} {digits}".strip()
    return names
