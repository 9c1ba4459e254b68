"""Approval decision on a call."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.effect import Effect
from clew.model.named_tuple import NamedTuple
from clew.policy.approval.rules import ApprovalRule


class Decision(NamedTuple):
    """Whether a call may run, and why."""

    allowed: bool
    reason: str = ""
    """Why it was denied, or why it needed a decision."""
    rule: ApprovalRule | None = None
    """The rule that matched; None if the call is not an external action."""
    effect: Effect | None = None
    """The recorded effect, whose outcome is set after the call."""
    checkpoint: Checkpoint | None = None
    """The checkpoint taken before an irreversible action."""
