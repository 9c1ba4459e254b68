"""The overview of a workspace, without a scan."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint, WorkspaceInfo
from clew.model.named_tuple import NamedTuple


class AgentSeen(NamedTuple):
    """A session of an agent that has worked in the workspace."""

    agent: str
    native: str
    """The agent's own id of the session."""
    heard_ns: int
    """The time of its last event."""
    is_at_work: bool
    """Whether the session is attached and its process runs, as far as can be known."""


class Overview(NamedTuple):
    """Where a workspace is."""

    info: WorkspaceInfo
    here: Checkpoint | None
    """The checkpoint last saved or restored, with its stored headline; None before the first."""
    good: Checkpoint | None
    newer_than_good: int
    """How many checkpoints are newer than the good one."""
    checkpoints: int
    is_restore_unfinished: bool
    agents: tuple[AgentSeen, ...]
    """Its sessions, the last heard first."""
