"""What the gate says of a call."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.effect import Effect
from clew.model.named_tuple import NamedTuple
from clew.policy.approval.rules import ApprovalRule


class Decision(NamedTuple):
    """Whether a call may run, and why."""

    allowed: bool
    reason: str = ""
    """Why not, or why it was looked at."""
    rule: ApprovalRule | None = None
    """The rule that made it an act on the outside world; None for everything else."""
    effect: Effect | None = None
    """What was written down, to be settled when it has run."""
    checkpoint: Checkpoint | None = None
    """What was there before an act that nothing takes back."""
