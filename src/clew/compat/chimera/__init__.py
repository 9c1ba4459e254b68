"""Chimera's checkpoint API on top of clew: the same names in one flat module.

    from clew.compat.chimera import CheckpointManager, LocalEnvironment

    manager = CheckpointManager(LocalEnvironment("/tmp/project"))
    manager.create("before-refactor")
    ...
    manager.undo()

The history is in the user's default clew store, or in the one that `store=` names.
"""

from __future__ import annotations

from clew.compat.chimera.checkpoints import CheckpointInfo, CheckpointManager
from clew.compat.chimera.docker import DockerEnvironment
from clew.compat.chimera.environment import Environment
from clew.compat.chimera.file_tracker import (
    CompactionMetadata,
    FileAwareCompaction,
    FileTracker,
)
from clew.compat.chimera.ghost import GhostCommitManager
from clew.compat.chimera.ghost_files import GhostSnapshot
from clew.compat.chimera.git import GitEnvironment
from clew.compat.chimera.local import (
    CHECKPOINT_SIZE_WARN_BYTES,
    LargeCheckpointWarning,
    LocalEnvironment,
)
from clew.compat.chimera.loop import LoopConfig
from clew.compat.chimera.results import CommandResult, TestResult

__all__ = [
    "CHECKPOINT_SIZE_WARN_BYTES",
    "CheckpointInfo",
    "CheckpointManager",
    "CommandResult",
    "CompactionMetadata",
    "DockerEnvironment",
    "Environment",
    "FileAwareCompaction",
    "FileTracker",
    "GhostCommitManager",
    "GhostSnapshot",
    "GitEnvironment",
    "LargeCheckpointWarning",
    "LocalEnvironment",
    "LoopConfig",
    "TestResult",
]
