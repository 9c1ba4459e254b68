"""PraisonAI's checkpoint API on top of clew: change only the import.

from clew.compat.praisonai import CheckpointService

Names, parameters, defaults, events and messages are those of `praisonaiagents.checkpoints`, and
what its documentation describes but its code lacks is provided too: `list`, `get`, `delete`,
`exclude_patterns`, the files that a checkpoint changed, the text of a diff.
Only `Agent` requires PraisonAI to be installed.
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
    # Without `Agent`: `import *` must work without PraisonAI.
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
    """Import `Agent`, which requires PraisonAI, on first access."""
    if name != "Agent":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from clew.compat.praisonai.tools import agent_class

    return agent_class()
