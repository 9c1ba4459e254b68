"""What a restore would do, and what it did."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.effect import Effect
from clew.model.holder import Holder
from clew.model.merge_results import Merge
from clew.model.named_tuple import NamedTuple
from clew.model.parts import BroughtBack, OthersWork


class Why:
    """Why a path was left alone, or what went wrong with it; the words of the JSON."""

    UNCOVERED = "not covered by the target"
    UNCOVERED_NOW = "not covered as it is now"
    EXCLUDED = "excluded"
    EDITED = "changed after the rescue was read"
    APPEARED = "appeared after the rescue was read"
    METADATA_EDITED = "metadata changed after the rescue was read"
    KEPT_ASIDE = "kept under this name: no checkpoint holds it"
    NOT_EMPTY = "something new is in this directory"


class LeftAlone(NamedTuple):
    """A path that a restore did not touch although it differs, and why."""

    path: bytes
    reason: str


class PlannedPath(NamedTuple):
    """One path that a restore would touch."""

    path: bytes
    size: int
    """Bytes of the content that would come (created, replaced) or go (deleted)."""
    is_new_work: bool = False
    """Made since the target was captured, and about to go away."""


class RestorePreview(NamedTuple):
    """What would be created, replaced, deleted; nothing has happened yet."""

    target: Checkpoint
    created: tuple[PlannedPath, ...]
    replaced: tuple[PlannedPath, ...]
    deleted: tuple[PlannedPath, ...]
    metadata: tuple[PlannedPath, ...]
    left_alone: tuple[LeftAlone, ...]
    holders: tuple[Holder, ...]
    dirty: bool
    """Whether there is work that no checkpoint holds yet; a rescue would be taken of it."""
    needed_bytes: int = 0
    free_bytes: int = 0
    merge: Merge | None = None
    """For a merge: what is brought together.  The target is then where its changes come from."""
    effects: tuple[Effect, ...] = ()
    """Acts outside that the target knows nothing of, and that stand all the same."""
    brought: BroughtBack = BroughtBack()
    """Which parts of the moment would come back."""
    others: tuple[OthersWork, ...] = ()
    """What others than the attached session did since, and would be taken back."""

    @property
    def overwrites(self) -> bool:
        """Tell whether anything that exists would be replaced, deleted or changed."""
        return bool(self.replaced or self.deleted or self.metadata or self.brought.moved)


class Stopped(NamedTuple):
    """A program that ran at another moment."""

    command: str
    directory: str
    ports: tuple[str, ...] = ()
    """Where it listened, as `127.0.0.1:8000`."""


class RestoreResult(NamedTuple):
    """What a restore did, after comparing the disk with what was promised."""

    target: Checkpoint
    rescue: Checkpoint | None
    """None when there was nothing that no checkpoint held."""
    here: Checkpoint
    """The target, or the checkpoint of what really resulted."""
    created: int
    replaced: int
    deleted: int
    metadata: int
    verified: bool
    """The disk was read again and is what was promised, left-alone paths aside."""
    left_alone: tuple[LeftAlone, ...] = ()
    moved_on: tuple[bytes, ...] = ()
    """Changed by somebody else after the switch; no failure."""
    problems: tuple[LeftAlone, ...] = ()
    """What could not be set back (owners, devices, some xattrs), or could not be applied."""
    stopped: tuple[Stopped, ...] = ()
    """What ran when the target was taken and does not now: a restore starts nothing."""
    merge: Merge | None = None
    """For a merge: what was brought together.  The target is then the checkpoint it became."""
    effects: tuple[Effect, ...] = ()
    """Acts outside that this moment knows nothing of, and that stand all the same."""
    brought: BroughtBack = BroughtBack()
    """Which parts of the moment came back."""
    others: tuple[OthersWork, ...] = ()
    """What others than the attached session had done since, and was taken back."""
    aborted: bool = False
    """Whether an interrupted restore was taken back.  The target is then what was before it."""

    @property
    def is_partial(self) -> bool:
        """Tell whether anything was asked for and not done; what nobody covers was never asked for."""
        kept = {Why.EDITED, Why.APPEARED, Why.METADATA_EDITED, Why.NOT_EMPTY, Why.KEPT_ASIDE}
        return (
            bool(self.problems)
            or not self.verified
            or any(item.reason in kept for item in self.left_alone)
        )


class InterruptedRestore(NamedTuple):
    """A restore that has begun and neither ended nor been aborted."""

    target: Checkpoint | None
    """Where it goes; None if the catalogue does not have it any more."""
    rescue: Checkpoint | None
    """What holds the workspace as it was before; None where no rescue was needed."""
    started_ns: int
    has_moved: bool
    """Whether files were already moved; otherwise the workspace is as it was."""
    is_aborting: bool = False
