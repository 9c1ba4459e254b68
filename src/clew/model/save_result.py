"""What a save gives back; apart from the other results, because a hook has no use for those."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.story import Story
    from clew.model.verdict import Verdict


class SaveResult(NamedTuple):
    """One save."""

    checkpoint: Checkpoint
    created: bool
    """False when nothing had changed and the caller asked to skip that; then it is *here*."""
    new_bytes: int
    """How much the store grew."""
    new_workspace: bool
    duration_ns: int
    notices: tuple[str, ...] = ()
    story: Story | None = None
    """What happened since the checkpoint before; None where nobody waited for it."""
    verdict: Verdict | None = None
    """What the check said that ran after it; the checkpoint's own may be another's."""
