"""Failed tool call of an agent, and the checkpoint before it."""

from __future__ import annotations

from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple


class FailedCall(NamedTuple):
    """A tool call that failed, as stored."""

    call: str
    """The command line, or the tool and its file; redacted."""
    reason: str
    time_ns: int
    session: bytes
    before: CheckpointId
    """The checkpoint with the state before the call."""
    checkpoint: CheckpointId
    """The one after it; the same if the call changed no file."""


class BeforeFailure(NamedTuple):
    """The failed call that a restore goes back to, and how far that is."""

    failed: FailedCall
    checkpoints_ago: int
    """Number of checkpoints between the current one and the one that is restored."""
