"""Everything clew raises on purpose.

* ClewError
  x UsageError
    + BadReference
    + UnknownReference
      - CheckpointRemoved
    + AmbiguousReference
    + BadName
    + BadOption
    + OutsideWorkspace
    + NoSuchPath
    + NotAWorkspace
    + UnknownWorkspace
    + GuardedRoot
    + RootGone
    + WorkspaceMoved
    + IsNeeded
    + UnknownFork
    + AmbiguousFork
    + BadForkName
    + BadForkPlace
    + BadSettings
    + NoCheck
    + NoCommonAncestor
    + NothingToUndo
    + NothingToRedo
    + DirtyWorkspace
    + NoInterruptedRestore
    + NoSession
    + UnknownSession
    + UnknownTask
    + TaskEnded
    + UnknownEffect
    + EffectSettled
    + WrongWayRound
  x StoreError
    + NotAStore
    + StoreNotOurs
    + StoreReadOnly
    + StoreTooNew
    + StoreFull
    + NoRoomForSave
    + StoreDamaged
      - ObjectMissing
      - ObjectCorrupt
  x RestoreError
    + NoRoomForRestore
    + RestoreBlocked
    + RootReplaced
    + RestorePending
    + MergeConflicts
  x CopyError
    + NoRoomForCopy
    + CopyDiffers
  x NeedsConfirmation
  x NeedsApproval
  x PruneUnconfirmed
  x ForkHasChanges
  x FilesNotHeld
  x EffectRepeats
  x MigrationFailed
  x MissingExtra
  x ScanFailed
  x EnclosureUnavailable
  x Busy

An error says what is wrong; the surface that shows it says what to do next, because the next
step differs for a person and for an agent.
"""

from __future__ import annotations

from clew.model.amount import counted, size_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.model.merge_results import Merge
    from clew.model.restore_results import InterruptedRestore, RestorePreview
    from clew.model.results import PruneResult
    from clew.model.retention import Tombstone


class ClewError(Exception):
    """Something clew refuses or cannot do, with a one-line message."""

    kind = "failed"
    """Stable word for programs, the JSON field `kind`."""


class UsageError(ClewError):
    """The request itself is off; nothing was changed."""

    kind = "usage"


class BadReference(UsageError):
    """The text cannot be a reference."""

    kind = "bad-reference"

    def __init__(self, text: str) -> None:
        super().__init__(f"Not a reference: {text!r}")
        self.text = text


class UnknownReference(UsageError):
    """No checkpoint answers to the text."""

    kind = "unknown-reference"

    def __init__(self, text: str) -> None:
        super().__init__(f"No checkpoint matches: {text!r}")
        self.text = text


class CheckpointRemoved(UnknownReference):
    """The text names a checkpoint that was there, and was pruned or deleted."""

    kind = "checkpoint-removed"

    def __init__(self, text: str, gone: Tombstone, why: str, nearest: str | None) -> None:
        UsageError.__init__(self, f"Checkpoint was {gone.verb}: {gone.id.hex()[:8]} ({why})")
        self.text = text
        self.gone = gone
        """What is left of it: its id, when it was removed and by which rule."""
        self.nearest = nearest
        """The id of what is left nearest to it, if anything is."""


class AmbiguousReference(UsageError):
    """More than one checkpoint answers to the text."""

    kind = "ambiguous-reference"

    def __init__(self, text: str, candidates: list[str]) -> None:
        shown = ", ".join(candidates[:5]) + (", …" if len(candidates) > 5 else "")
        super().__init__(f"More than one checkpoint matches {text!r}: {shown}")
        self.text = text
        self.candidates = candidates


class BadName(UsageError):
    """A name that could be mistaken for another kind of reference, or not be shown."""

    kind = "bad-name"

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"A checkpoint cannot be named so, {why}: {name!r}")
        self.name = name


class BadOption(UsageError):
    """An option's value makes no sense."""

    kind = "bad-option"

    def __init__(self, option: str, why: str) -> None:
        super().__init__(f"{option}: {why}")
        self.option = option


class OutsideWorkspace(UsageError):
    """A path that does not lie in the workspace."""

    kind = "outside-workspace"

    def __init__(self, path: str) -> None:
        super().__init__(f"Path is outside the workspace: {path!r}")
        self.path = path


class NoSuchPath(UsageError):
    """A checkpoint holds nothing of that name, or nothing of the kind asked for."""

    kind = "no-such-path"

    def __init__(self, path: str, what: str | None = None) -> None:
        because = f"is a {what}, not a file" if what is not None else "is not there"
        super().__init__(f"In that checkpoint this {because}: {path!r}")
        self.path = path


class UnknownWorkspace(UsageError):
    """No workspace of the store answers to an id or a path."""

    kind = "unknown-workspace"

    def __init__(self, text: str) -> None:
        super().__init__(f"No workspace in this store matches: {text!r}")
        self.text = text


class NotAWorkspace(UsageError):
    """No known workspace at or above a directory."""

    kind = "not-a-workspace"

    def __init__(self, path: str) -> None:
        super().__init__(f"Not in a workspace: {path!r}")
        self.path = path


class GuardedRoot(UsageError):
    """`$HOME` and `/` become workspaces only when named explicitly."""

    kind = "guarded-root"

    def __init__(self, path: str) -> None:
        super().__init__(f"Refusing to make this a workspace unless it is named: {path!r}")
        self.path = path


class RootGone(UsageError):
    """The directory of a workspace is not there any more."""

    kind = "root-gone"

    def __init__(self, path: str) -> None:
        super().__init__(f"The workspace's directory is gone: {path!r}")
        self.path = path


class WorkspaceMoved(UsageError):
    """The directory is one that a workspace knew under another path."""

    kind = "workspace-moved"

    def __init__(self, path: str, workspace: str, known_path: str) -> None:
        super().__init__(
            f"This directory was workspace {workspace[:8]} at {known_path!r}: {path!r}"
        )
        self.path = path
        self.workspace = workspace
        self.known_path = known_path


class IsNeeded(UsageError):
    """A checkpoint that cannot be deleted now: the workspace is there, or a restore needs it."""

    kind = "is-needed"

    def __init__(self, identifier: str, why: str) -> None:
        super().__init__(f"This checkpoint cannot be deleted, {why}: {identifier}")
        self.identifier = identifier


class UnknownFork(UsageError):
    """No fork of the workspace answers to a name, an id or a directory."""

    kind = "unknown-fork"

    def __init__(self, text: str) -> None:
        super().__init__(f"No fork of this workspace matches: {text!r}")
        self.text = text


class AmbiguousFork(UsageError):
    """More than one fork answers to the first digits of an id."""

    kind = "ambiguous-fork"

    def __init__(self, text: str, candidates: list[str]) -> None:
        shown = ", ".join(map(repr, candidates[:5])) + (", …" if len(candidates) > 5 else "")
        super().__init__(f"More than one fork matches {text!r}: {shown}")
        self.text = text
        self.candidates = candidates


class BadForkName(UsageError):
    """A name that another fork has, or that could be mistaken for something else."""

    kind = "bad-fork-name"

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"A fork cannot be called so, {why}: {name!r}")
        self.name = name


class BadForkPlace(UsageError):
    """A directory in which no fork can grow."""

    kind = "bad-fork-place"

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"A fork cannot be made there, {why}: {path!r}")
        self.path = path


class BadSettings(UsageError):
    """A file of an agent's that cannot be edited safely; it was left as it is."""

    kind = "bad-settings"

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"This file cannot be edited, {why}: {path!r}")
        self.path = path
        self.why = why


class NoCheck(UsageError):
    """The workspace's own check was asked for, and it has none."""

    kind = "no-check"

    def __init__(self) -> None:
        super().__init__("This workspace has no check of its own")


class NoCommonAncestor(UsageError):
    """Moments that did not grow from one checkpoint, so there is nothing to compare them with."""

    kind = "no-common-ancestor"

    def __init__(self, names: list[str]) -> None:
        super().__init__(f"These have no checkpoint in common: {', '.join(map(repr, names))}")
        self.names = names


class NothingToUndo(UsageError):
    """The trail ends here."""

    kind = "nothing-to-undo"

    def __init__(self) -> None:
        super().__init__("Nothing to undo")


class NothingToRedo(UsageError):
    """Nothing was undone since the last change of direction."""

    kind = "nothing-to-redo"

    def __init__(self) -> None:
        super().__init__("Nothing to redo")


class DirtyWorkspace(UsageError):
    """A redo would overwrite work that no checkpoint holds."""

    kind = "dirty-workspace"

    def __init__(self) -> None:
        super().__init__("The workspace has changed since the undo, so there is nothing to redo")


class WrongWayRound(UsageError):
    """A bisect looks for where things broke, and was given the good checkpoint after the bad one."""

    kind = "wrong-way-round"

    def __init__(self, good: str, bad: str) -> None:
        super().__init__(f"The good checkpoint is newer than the bad one: {good!r}")
        self.good = good
        self.bad = bad


class NoInterruptedRestore(UsageError):
    """There is nothing to continue or abort."""

    kind = "no-interrupted-restore"

    def __init__(self) -> None:
        super().__init__("No interrupted restore in this workspace")


class NoSession(UsageError):
    """Nothing is attached, and no session was named."""

    kind = "no-session"

    def __init__(self) -> None:
        super().__init__("No session is attached to this workspace")


class UnknownSession(UsageError):
    """No session, or more than one, answers to the text."""

    kind = "unknown-session"

    def __init__(self, text: str, candidates: list[str] | None = None) -> None:
        what = "More than one session" if candidates else "No session of this workspace"
        super().__init__(f"{what} matches: {text!r}")
        self.text = text
        self.candidates = candidates or []


class UnknownTask(UsageError):
    """The list has no such task."""

    kind = "unknown-task"

    def __init__(self, text: str) -> None:
        super().__init__(f"No task has the number: {text!r}")
        self.text = text


class TaskEnded(UsageError):
    """A task that has ended cannot end again."""

    kind = "task-ended"

    def __init__(self, number: int, title: str, status: str) -> None:
        super().__init__(f"Task {number} is {status} already: {title!r}")
        self.number = number
        self.status = status


class UnknownEffect(UsageError):
    """No effect has that number."""

    kind = "unknown-effect"

    def __init__(self, text: str) -> None:
        super().__init__(f"No effect has the number: {text!r}")
        self.text = text


class EffectSettled(UsageError):
    """What became of an effect was said already, and was something else."""

    kind = "effect-settled"

    def __init__(self, number: int, what: str, status: str) -> None:
        super().__init__(f"Effect {number} was settled as {status} already: {what!r}")
        self.number = number
        self.status = status


class StoreError(ClewError):
    """The store cannot be used."""

    kind = "store"


class NotAStore(StoreError):
    """The directory is something else."""

    kind = "not-a-store"

    def __init__(self, path: str) -> None:
        super().__init__(f"Not a clew store: {path!r}")
        self.path = path


class StoreNotOurs(StoreError):
    """The store belongs to another user."""

    kind = "store-not-ours"

    def __init__(self, path: str, owner: int) -> None:
        super().__init__(f"The store belongs to another user (uid {owner}): {path!r}")
        self.path = path
        self.owner = owner


class StoreReadOnly(StoreError):
    """The store cannot be written."""

    kind = "store-read-only"

    def __init__(self, path: str) -> None:
        super().__init__(f"The store cannot be written: {path!r}")
        self.path = path


class StoreTooNew(StoreError):
    """The store was made by a newer clew."""

    kind = "store-too-new"

    def __init__(self, path: str, version: str) -> None:
        super().__init__(
            f"The store has format {version!r}, which this clew does not know: {path!r}"
        )
        self.path = path
        self.version = version


class StoreFull(StoreError):
    """The disk that holds the store is full; nothing acknowledged was harmed."""

    kind = "store-full"

    def __init__(self, path: str) -> None:
        super().__init__(f"No space left for the store: {path!r}")
        self.path = path


class NoRoomForSave(StoreError):
    """The disk of the store is below its floor of free space, and nothing automatic is left to go."""

    kind = "no-room-for-save"

    def __init__(self, free: int, floor: int, prunable: int, freed: int, keep_last: int) -> None:
        super().__init__(
            f"Not enough free disk space to save: {size_text(free)} free, {size_text(floor)}"
            f" required by min-free; pruning all but the last {keep_last} checkpoints,"
            f" yours included, would free about {size_text(freed)}"
        )
        self.free = free
        self.floor = floor
        self.prunable = prunable
        """How many checkpoints that somebody made could go."""
        self.freed = freed
        """About how many bytes that would free."""
        self.keep_last = keep_last


class StoreDamaged(StoreError):
    """Stored bytes are not what they were."""

    kind = "store-damaged"


class ObjectMissing(StoreDamaged):
    """An object that a checkpoint needs is not in the store."""

    kind = "object-missing"

    def __init__(self, identifier: bytes) -> None:
        super().__init__(f"An object is missing from the store: {identifier.hex()}")
        self.identifier = identifier


class ObjectCorrupt(StoreDamaged):
    """Stored bytes no longer match the id they are stored under."""

    kind = "object-corrupt"

    def __init__(self, where: str) -> None:
        super().__init__(f"Stored bytes do not match their checksum: {where}")
        self.where = where


class RestoreError(ClewError):
    """A restore was refused before it changed anything."""

    kind = "restore"


class NoRoomForRestore(RestoreError):
    """The rescue or the stage does not fit on the disk."""

    kind = "no-room"

    def __init__(self, needed: int, free: int) -> None:
        super().__init__(f"A restore needs {needed} bytes and the disk has {free} free")
        self.needed = needed
        self.free = free


class RestoreBlocked(RestoreError):
    """Something that must be left alone stands where something else is due."""

    kind = "blocked"

    def __init__(self, path: str) -> None:
        super().__init__(f"Something that must be left alone is in the way: {path!r}")
        self.path = path


class RootReplaced(RestoreError):
    """Another directory or filesystem is where the workspace was when it was read."""

    kind = "root-replaced"

    def __init__(self, path: str) -> None:
        super().__init__(f"The workspace's directory was replaced during the restore: {path!r}")
        self.path = path


class RestorePending(RestoreError):
    """An earlier restore was interrupted and cannot be continued now."""

    kind = "restore-pending"

    def __init__(self, target: bytes, reason: str) -> None:
        super().__init__(f"Cannot continue the restore to {target.hex()[:8]}: {reason!r}")
        self.target = target
        self.reason = reason


class MergeConflicts(RestoreError):
    """Both sides of a merge changed the same things, and nobody has said which to take."""

    kind = "conflicts"

    def __init__(self, merge: Merge) -> None:
        super().__init__("Both sides changed the same things, so nothing was changed")
        self.merge = merge


class RestoreInterrupted(KeyboardInterrupt):
    """Ctrl-C stopped a restore; `pending` says whether part of it is done."""

    def __init__(self, pending: InterruptedRestore | None) -> None:
        super().__init__()
        self.pending = pending


class CopyError(ClewError):
    """A moment could not be written to a directory of its own."""

    kind = "copy"


class NoRoomForCopy(CopyError):
    """The files of a moment do not fit on the disk a second time."""

    kind = "no-room-for-copy"

    def __init__(self, needed: int, free: int) -> None:
        super().__init__(f"A copy needs {needed} bytes and the disk has {free} free")
        self.needed = needed
        self.free = free


class CopyDiffers(CopyError):
    """What was written, read back, is not what the checkpoint holds."""

    kind = "copy-differs"

    def __init__(self, path: str) -> None:
        super().__init__(f"A copy is not what the checkpoint holds: {path!r}")
        self.path = path


class NeedsConfirmation(ClewError):
    """Something would be overwritten and nobody has said yes."""

    kind = "needs-confirmation"

    def __init__(self, preview: RestorePreview) -> None:
        super().__init__("This would overwrite files and needs a yes")
        self.preview = preview


class NeedsApproval(ClewError):
    """A model asked for what only a person can allow, and nobody did."""

    kind = "needs-approval"

    def __init__(self, what: str) -> None:
        super().__init__(f"Approval required, and nobody gave it: {what!r}")


class PruneUnconfirmed(ClewError):
    """Checkpoints that somebody made would go, and nobody has said yes."""

    kind = "prune-unconfirmed"

    def __init__(self, foreseen: PruneResult) -> None:
        what = counted(foreseen.made, "checkpoint")
        super().__init__(f"Confirmation required: {what} not made automatically would be removed")
        self.foreseen = foreseen


class ForkHasChanges(ClewError):
    """A fork that is to be discarded holds work that nothing else does."""

    kind = "fork-has-changes"

    def __init__(self, name: str, why: str = "has changes that would be lost") -> None:
        super().__init__(f"This fork {why}: {name!r}")
        self.name = name


class FilesNotHeld(ClewError):
    """A fork's directory is to be removed with files that no checkpoint holds."""

    kind = "files-not-held"

    def __init__(self, name: str, what: str, paths: list[str], more: int) -> None:
        named = ", ".join(map(repr, paths)) + (f" and {more:,} more" if more else "")
        super().__init__(
            f"No checkpoint holds {what} that would be removed with fork {name!r}: {named}"
        )
        self.name = name


class EffectRepeats(ClewError):
    """An act that was done outside already, and that a restore made the workspace forget."""

    kind = "effect-repeats"

    def __init__(self, number: int, what: str, reason: str) -> None:
        super().__init__(f"This was done already, as effect {number}: {what!r}")
        self.number = number
        self.what = what
        self.reason = reason


class MigrationFailed(ClewError):
    """A session could not be carried to another version of its agent; nothing was changed."""

    kind = "migration-failed"

    def __init__(self, why: str) -> None:
        super().__init__(f"The session was not migrated: {why}")
        self.why = why


class MissingExtra(ClewError):
    """A package that only some of us need, and that is not installed."""

    kind = "missing-extra"

    def __init__(self, extra: str) -> None:
        super().__init__(f"This needs what is not installed: {extra!r}")
        self.extra = extra


class ScanFailed(ClewError):
    """A process that took part in a scan died or failed, so nothing was saved."""

    kind = "scan-failed"


class EnclosureUnavailable(ClewError):
    """The system lets us have no private copy at the workspace's own path."""

    kind = "enclosure-unavailable"

    def __init__(self, why: str) -> None:
        super().__init__(f"Nothing can be run in a private copy here: {why}")
        self.why = why


class Busy(ClewError):
    """Another process holds what is needed."""

    kind = "busy"

    def __init__(self, what: str) -> None:
        super().__init__(f"Another clew is at work on {what}")
        self.what = what
