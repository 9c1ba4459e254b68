"""PraisonAI's checkpoints, kept by clew: change the import and nothing else.

from clew.compat.praisonai import CheckpointService

Names, parameters, defaults, events and messages are those of `praisonaiagents.checkpoints`, and
what its documentation promises beyond its code is here too: `list`, `get`, `delete`,
`exclude_patterns`, the files that a checkpoint changed, the text of a diff.
The other library is not needed, except for `Agent`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clew.compat.praisonai.config import PROTECTED_PATHS, CheckpointConfig
from clew.compat.praisonai.service import CheckpointService
from clew.compat.praisonai.turns import SessionCheckpointManager
from clew.compat.praisonai.types import (
    Checkpoint,
    CheckpointDiff,
    CheckpointEvent,
    CheckpointResult,
    FileDiff,
)

if TYPE_CHECKING:
    Agent: Any

__all__ = [
    # `Agent` is not here: whoever imports everything may not have the other library.
    "Checkpoint",
    "CheckpointConfig",
    "CheckpointDiff",
    "CheckpointEvent",
    "CheckpointResult",
    "CheckpointService",
    "FileDiff",
    "PROTECTED_PATHS",
    "SessionCheckpointManager",
]


def __getattr__(name: str) -> object:
    """Import what needs the other library when it is asked for."""
    if name != "Agent":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from clew.compat.praisonai.agent import agent_class

    return agent_class()
