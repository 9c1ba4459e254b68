"""Results of a restore and of its preview."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.effect import Effect
from clew.model.failed_call import BeforeFailure
from clew.model.holder import Holder
from clew.model.merge_results import Merge
from clew.model.named_tuple import NamedTuple
from clew.model.parts import ConcurrentWork, RestoredParts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.model.story import Story


class SkipReason:
    """Why a path was skipped, or what failed; values of the JSON."""

    UNCOVERED = "not covered by the target"
    UNCOVERED_NOW = "not covered as it is now"
    EXCLUDED = "excluded"
    LARGE = "too large"
    EDITED = "changed after the rescue was read"
    APPEARED = "appeared after the rescue was read"
    METADATA_EDITED = "metadata changed after the rescue was read"
    KEPT_ASIDE = "kept under this name: no checkpoint holds it"
    NOT_EMPTY = "something new is in this directory"


class SkippedPath(NamedTuple):
    """A path that differs but was not restored, and the reason."""

    path: bytes
    reason: str


class PlannedPath(NamedTuple):
    """One path that a restore would change."""

    path: bytes
    size: int
    """Bytes of content that would be written (created, replaced) or removed (deleted)."""
    is_new_work: bool = False
    """Created after the target was captured, and about to be removed."""
    is_directory: bool = False
    size_now: int = 0
    """Bytes of content that it has in the workspace."""


class RestoreFacts(NamedTuple):
    """What a restore means, in the words of history."""

    taken_back: Story | None = None
    """What was done since the target, or since both parted from a common ancestor."""
    brought_back: Story | None = None
    """What was done in the target's line since then."""


class RestorePreview(NamedTuple):
    """What would be created, replaced and deleted; nothing has been changed yet."""

    target: Checkpoint
    created: tuple[PlannedPath, ...]
    replaced: tuple[PlannedPath, ...]
    deleted: tuple[PlannedPath, ...]
    metadata: tuple[PlannedPath, ...]
    skipped: tuple[SkippedPath, ...]
    processes: tuple[Holder, ...]
    dirty: bool
    """Whether there is unsaved work; a rescue would be taken of it."""
    needed_bytes: int = 0
    free_bytes: int = 0
    merge: Merge | None = None
    """For a merge: its details.  The target is then the source of the changes."""
    effects: tuple[Effect, ...] = ()
    """Effects that are not part of the target's history but remain in effect."""
    brought: RestoredParts = RestoredParts()
    """The parts that would be restored."""
    concurrent_work: tuple[ConcurrentWork, ...] = ()
    """Later changes by others than the attached session, which would be reverted."""
    before_failure: BeforeFailure | None = None
    """The failed call before which the target is, if it was chosen for that."""
    unsaved: tuple[bytes, ...] = ()
    """Paths to be replaced, deleted or changed that *here* does not hold as they are now."""
    generated: tuple[bytes, ...] = ()
    """Generated directories that their name alone does not show."""
    within: tuple[bytes, ...] = ()
    """The paths that it is limited to."""
    facts: Callable[[], RestoreFacts] | None = None
    """Derives what it means, within a time limit; only whoever shows it has to wait."""
    unsaved_parts: tuple[str, ...] = ()
    """Of conversation and tasks: those to be replaced that *here* does not hold as they are now."""

    @property
    def needs_confirmation(self) -> bool:
        """Whether anything that exists would be replaced, deleted or changed."""
        return bool(self.replaced or self.deleted or self.metadata or self.brought.moved)

    @property
    def overwrites_unsaved(self) -> bool:
        """Whether anything would be overwritten that only the rescue would hold."""
        return bool(self.unsaved or self.unsaved_parts)


class Stopped(NamedTuple):
    """A program that ran when a checkpoint was taken, and does not now."""

    command: str
    directory: str
    ports: tuple[str, ...] = ()
    """The addresses it listened on, as `127.0.0.1:8000`."""


class RestoreResult(NamedTuple):
    """What a restore did, after comparing the disk with the target."""

    target: Checkpoint
    rescue: Checkpoint | None
    """None if there was no unsaved work."""
    here: Checkpoint
    """The target, or a checkpoint of the actual result."""
    created: int
    replaced: int
    deleted: int
    metadata: int
    verified: bool
    """The workspace was scanned again and matches the target, except for skipped paths."""
    skipped: tuple[SkippedPath, ...] = ()
    changed_after: tuple[bytes, ...] = ()
    """Changed by another process after the switch; not a failure."""
    problems: tuple[SkippedPath, ...] = ()
    """What could not be restored (owners, devices, some xattrs), or could not be applied."""
    no_longer_running: tuple[Stopped, ...] = ()
    """Programs that ran when the target was taken: a restore does not start them."""
    merge: Merge | None = None
    """For a merge: its details.  The target is then the checkpoint of the result."""
    effects: tuple[Effect, ...] = ()
    """Effects that are not part of this history but remain in effect."""
    brought: RestoredParts = RestoredParts()
    """The parts that were restored."""
    concurrent_work: tuple[ConcurrentWork, ...] = ()
    """Later changes by others than the attached session, which were reverted."""
    aborted: bool = False
    """Whether an interrupted restore was reverted.  The target is then the state before it."""
    before_failure: BeforeFailure | None = None
    """The failed call before which the target is, if it was chosen for that."""

    @property
    def is_partial(self) -> bool:
        """Whether anything requested was not done; uncovered paths are not requested."""
        kept = {
            SkipReason.EDITED,
            SkipReason.APPEARED,
            SkipReason.METADATA_EDITED,
            SkipReason.NOT_EMPTY,
            SkipReason.KEPT_ASIDE,
        }
        return (
            bool(self.problems)
            or not self.verified
            or any(item.reason in kept for item in self.skipped)
        )


class InterruptedRestore(NamedTuple):
    """An unfinished restore."""

    target: Checkpoint | None
    """Its target; None if that is no longer in the catalogue."""
    rescue: Checkpoint | None
    """The checkpoint of the workspace before it; None if no rescue was needed."""
    started_ns: int
    has_moved: bool
    """Whether files were already moved; otherwise the workspace is unchanged."""
    is_aborting: bool = False
