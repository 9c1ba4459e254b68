"""Result of a save; separate from the other results, which a hook does not need to import."""

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
    """False if nothing had changed and the caller asked to skip; the checkpoint is then *here*."""
    new_bytes: int
    """Bytes added to the store."""
    new_workspace: bool
    duration_ns: int
    notices: tuple[str, ...] = ()
    story: Story | None = None
    """The changes since the parent; None if the caller did not wait for the story."""
    verdict: Verdict | None = None
    """The verdict of the check that ran after the save; `checkpoint.verdict` may be another one."""
