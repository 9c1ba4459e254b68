"""Text of a checkpoint's position: the session, its agent and its progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.policy.labels import label
from clew.render import tasks, units
from clew.render.safe import safe_line

if TYPE_CHECKING:
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
