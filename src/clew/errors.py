"""Exceptions raised by clew.

* ClewError
  x UsageError
    + BadOption
    + BadReference
    + UnknownReference
      - CheckpointRemoved
    + AmbiguousReference
    + BadName
    + CheckpointInUse
    + NotAWorkspace
    + UnknownWorkspace
    + AmbiguousWorkspace
    + ExplicitPathRequired
    + WorkspaceMissing
    + WorkspaceMoved
    + OutsideWorkspace
    + NoSuchPath
    + UnknownFork
    + AmbiguousFork
    + BadForkName
    + BadForkDirectory
    + CannotEnter
    + NoCommonAncestor
    + NoCheckConfigured
    + GoodNewerThanBad
    + BadAgentSettings
    + NothingToUndo
    + NothingToRedo
    + DirtyWorkspace
    + NoInterruptedRestore
    + NoFailedCall
    + NoSession
    + UnknownSession
    + UnknownTask
    + TaskEnded
    + UnknownEffect
    + EffectSettled
  x StoreError
    + NotAStore
    + StoreWrongOwner
    + StoreReadOnly
    + StoreTooNew
    + StoreFull
    + NoSpaceForSave
    + StoreDamaged
      - ObjectMissing
      - ObjectCorrupt
  x RestoreError
    + NoSpaceForRestore
    + RestoreBlocked
    + WorkspaceReplaced
    + RestorePending
    + MergeConflicts
  x CopyError
    + NoSpaceForCopy
    + CopyMismatch
  x SandboxUnavailable
  x CommandNotStarted
  x NeedsConfirmation
  x PruneNeedsConfirmation
  x ForkHasChanges
  x UncapturedFiles
  x DuplicateEffect
  x NeedsApproval
  x Locked
  x ScanFailed
  x MigrationFailed
  x MissingDependency

An error states what failed. The surface that shows it adds the hint, because the next step differs
for a person and for an agent.
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
    """Base class: an operation failed or was refused, with a one-line message."""

    kind = "failed"
    """Stable identifier for programs: the JSON field `kind`."""


class UsageError(ClewError):
    """The request is invalid; nothing was changed."""

    kind = "usage"


# Usage errors of options, references and names


class BadOption(UsageError):
    """An option or argument has an invalid value."""

    kind = "bad-option"

    def __init__(self, option: str, reason: str) -> None:
        super().__init__(f"{option}: {reason}")
        self.option = option


class BadReference(UsageError):
    """The text is not a valid reference."""

    kind = "bad-reference"

    def __init__(self, text: str) -> None:
        super().__init__(f"Invalid checkpoint reference: {text!r}")
        self.text = text


class UnknownReference(UsageError):
    """No checkpoint matches the text."""

    kind = "unknown-reference"

    def __init__(self, text: str) -> None:
        super().__init__(f"No checkpoint matches: {text!r}")
        self.text = text


class CheckpointRemoved(UnknownReference):
    """The text names a checkpoint that was pruned or deleted."""

    kind = "checkpoint-removed"

    def __init__(self, text: str, tombstone: Tombstone, reason: str, nearest: str | None) -> None:
        UsageError.__init__(
            self, f"Checkpoint was {tombstone.verb}: {tombstone.id.hex()[:8]} ({reason})"
        )
        self.text = text
        self.tombstone = tombstone
        """The id, when it was removed and by which rule."""
        self.nearest = nearest
        """The id of the nearest remaining checkpoint, if any."""


class AmbiguousReference(UsageError):
    """More than one checkpoint matches the text."""

    kind = "ambiguous-reference"

    def __init__(self, text: str, candidates: list[str]) -> None:
        shown = ", ".join(candidates[:5]) + (", …" if len(candidates) > 5 else "")
        super().__init__(f"More than one checkpoint matches {text!r}: {shown}")
        self.text = text
        self.candidates = candidates


class BadName(UsageError):
    """A checkpoint name that reads as another kind of reference, or cannot be displayed."""

    kind = "bad-name"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"Invalid checkpoint name ({reason}): {name!r}")
        self.name = name


class CheckpointInUse(UsageError):
    """The checkpoint to delete is the current one, or an interrupted restore needs it."""

    kind = "checkpoint-in-use"

    def __init__(self, checkpoint: str, reason: str) -> None:
        super().__init__(f"Cannot delete checkpoint ({reason}): {checkpoint}")
        self.checkpoint = checkpoint


# Usage errors of workspaces and paths


class NotAWorkspace(UsageError):
    """No registered workspace at or above a directory."""

    kind = "not-a-workspace"

    def __init__(self, path: str) -> None:
        super().__init__(f"Not in a workspace: {path!r}")
        self.path = path


class UnknownWorkspace(UsageError):
    """No workspace in the store has that name, id or path."""

    kind = "unknown-workspace"

    def __init__(self, text: str) -> None:
        super().__init__(f"No workspace in this store matches: {text!r}")
        self.text = text


class AmbiguousWorkspace(UsageError):
    """More than one workspace has that name, or an id that starts with those digits."""

    kind = "ambiguous-workspace"

    def __init__(self, text: str, candidates: list[str]) -> None:
        shown = ", ".join(candidates[:5]) + (", …" if len(candidates) > 5 else "")
        super().__init__(f"More than one workspace matches {text!r}: {shown}")
        self.text = text
        self.candidates = candidates


class ExplicitPathRequired(UsageError):
    """The default directory is `$HOME` or `/`, which only an explicit path makes a workspace."""

    kind = "explicit-path-required"

    def __init__(self, path: str) -> None:
        super().__init__(f"Explicit path required to create a workspace: {path!r}")
        self.path = path


class WorkspaceMissing(UsageError):
    """The directory of a workspace no longer exists."""

    kind = "workspace-missing"

    def __init__(self, path: str) -> None:
        super().__init__(f"Workspace directory not found: {path!r}")
        self.path = path


class WorkspaceMoved(UsageError):
    """The directory belongs to a workspace that is registered under another path."""

    kind = "workspace-moved"

    def __init__(self, path: str, workspace: str, registered_path: str) -> None:
        super().__init__(
            f"Directory belongs to workspace {workspace[:8]}, registered at {registered_path!r}: {path!r}"
        )
        self.path = path
        self.workspace = workspace
        self.registered_path = registered_path


class OutsideWorkspace(UsageError):
    """A path outside the workspace."""

    kind = "outside-workspace"

    def __init__(self, path: str) -> None:
        super().__init__(f"Path is outside the workspace: {path!r}")
        self.path = path


class NoSuchPath(UsageError):
    """A checkpoint has no such path, or an entry of another kind there."""

    kind = "no-such-path"

    def __init__(self, path: str, actual: str | None = None, *, checkpoint: str = "") -> None:
        where = f"checkpoint {checkpoint}" if checkpoint else "the checkpoint"
        problem = "No such path in" if actual is None else f"Not a file but a {actual} in"
        super().__init__(f"{problem} {where}: {path or '.'!r}")
        self.path = path


# Usage errors of forks and merges


class UnknownFork(UsageError):
    """No fork of the workspace has that name, id or directory."""

    kind = "unknown-fork"

    def __init__(self, text: str) -> None:
        super().__init__(f"No fork of this workspace matches: {text!r}")
        self.text = text


class AmbiguousFork(UsageError):
    """More than one fork has an id that starts with those digits."""

    kind = "ambiguous-fork"

    def __init__(self, text: str, candidates: list[str]) -> None:
        shown = ", ".join(map(repr, candidates[:5])) + (", …" if len(candidates) > 5 else "")
        super().__init__(f"More than one fork matches {text!r}: {shown}")
        self.text = text
        self.candidates = candidates


class BadForkName(UsageError):
    """A fork name that is taken, or reads as something else."""

    kind = "bad-fork-name"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"Invalid fork name ({reason}): {name!r}")
        self.name = name


class BadForkDirectory(UsageError):
    """A directory that cannot hold a fork."""

    kind = "bad-fork-directory"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"Invalid fork directory ({reason}): {path!r}")
        self.path = path


class CannotEnter(UsageError):
    """A fork that no program can be started in."""

    kind = "cannot-enter"

    def __init__(self, name: str, reason: str, *, has_files: bool = True) -> None:
        super().__init__(f"Cannot enter the fork ({reason}): {name!r}")
        self.name = name
        self.has_files = has_files
        """Whether its files are on disk."""


class NoCommonAncestor(UsageError):
    """Checkpoints without a common ancestor to compare with."""

    kind = "no-common-ancestor"

    def __init__(self, names: list[str]) -> None:
        super().__init__(f"No common ancestor: {', '.join(map(repr, names))}")
        self.names = names


# Usage errors of checks and agents


class NoCheckConfigured(UsageError):
    """The configured check was requested, but none is set."""

    kind = "no-check-configured"

    def __init__(self) -> None:
        super().__init__("No check is configured for this workspace")


class GoodNewerThanBad(UsageError):
    """A bisect was given a good checkpoint that is newer than the bad one."""

    kind = "good-newer-than-bad"

    def __init__(self, good: str, bad: str) -> None:
        super().__init__(f"The good checkpoint is newer than the bad one: {good!r}")
        self.good = good
        self.bad = bad


class BadAgentSettings(UsageError):
    """An agent's settings file that cannot be edited safely; it was left unchanged."""

    kind = "bad-agent-settings"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"Cannot edit file ({reason}): {path!r}")
        self.path = path
        self.reason = reason


# Usage errors of restore, undo and redo


class NothingToUndo(UsageError):
    """No earlier step on the trail."""

    kind = "nothing-to-undo"

    def __init__(self) -> None:
        super().__init__("Nothing to undo")


class NothingToRedo(UsageError):
    """No undo to reverse since the last save or restore."""

    kind = "nothing-to-redo"

    def __init__(self) -> None:
        super().__init__("Nothing to redo")


class DirtyWorkspace(UsageError):
    """A redo would overwrite changes that no checkpoint holds."""

    kind = "dirty-workspace"

    def __init__(self) -> None:
        super().__init__("Cannot redo: the workspace has changed since the undo")


class NoInterruptedRestore(UsageError):
    """No interrupted restore to continue or abort."""

    kind = "no-interrupted-restore"

    def __init__(self) -> None:
        super().__init__("No interrupted restore in this workspace")


# Usage errors of sessions, tasks and effects


class NoFailedCall(UsageError):
    """No failed tool call is known in the current line of history."""

    kind = "no-failed-call"

    def __init__(self, session: str | None = None) -> None:
        whose = f" of session {session!r}" if session else ""
        super().__init__(f"No failed tool call{whose} is known in the current line of history")
        self.session = session


class NoSession(UsageError):
    """No session is attached, and none was given."""

    kind = "no-session"

    def __init__(self) -> None:
        super().__init__("No session is attached to this workspace")


class UnknownSession(UsageError):
    """No session, or more than one, matches the text."""

    kind = "unknown-session"

    def __init__(self, text: str, candidates: list[str] | None = None) -> None:
        what = "More than one session" if candidates else "No session of this workspace"
        super().__init__(f"{what} matches: {text!r}")
        self.text = text
        self.candidates = candidates or []


class UnknownTask(UsageError):
    """No task has that number."""

    kind = "unknown-task"

    def __init__(self, text: str) -> None:
        super().__init__(f"No such task: {text!r}")
        self.text = text


class TaskEnded(UsageError):
    """The task has already ended."""

    kind = "task-ended"

    def __init__(self, number: int, title: str, status: str) -> None:
        super().__init__(f"Task {number} is already {status}: {title!r}")
        self.number = number
        self.status = status


class UnknownEffect(UsageError):
    """No effect has that number."""

    kind = "unknown-effect"

    def __init__(self, text: str) -> None:
        super().__init__(f"No such effect: {text!r}")
        self.text = text


class EffectSettled(UsageError):
    """The effect already has another final status."""

    kind = "effect-settled"

    def __init__(self, number: int, action: str, status: str) -> None:
        super().__init__(f"Effect {number} is already settled as {status}: {action!r}")
        self.number = number
        self.status = status


# Store


class StoreError(ClewError):
    """The store cannot be used."""

    kind = "store"


class NotAStore(StoreError):
    """The directory is not a store."""

    kind = "not-a-store"

    def __init__(self, path: str) -> None:
        super().__init__(f"Not a clew store: {path!r}")
        self.path = path


class StoreWrongOwner(StoreError):
    """The store belongs to another user."""

    kind = "store-wrong-owner"

    def __init__(self, path: str, owner: int) -> None:
        super().__init__(f"The store belongs to another user (uid {owner}): {path!r}")
        self.path = path
        self.owner = owner


class StoreReadOnly(StoreError):
    """The store is not writable."""

    kind = "store-read-only"

    def __init__(self, path: str) -> None:
        super().__init__(f"The store is not writable: {path!r}")
        self.path = path


class StoreTooNew(StoreError):
    """The store was written by a newer version of clew."""

    kind = "store-too-new"

    def __init__(self, path: str, version: str) -> None:
        super().__init__(f"Unsupported store format {version!r}: {path!r}")
        self.path = path
        self.version = version


class StoreFull(StoreError):
    """The store's disk is full; existing checkpoints are intact."""

    kind = "store-full"

    def __init__(self, path: str) -> None:
        super().__init__(f"No space left on the store's disk: {path!r}")
        self.path = path


class NoSpaceForSave(StoreError):
    """Free space is below `min-free`, and no automatic checkpoint is left to prune."""

    kind = "no-space-for-save"

    def __init__(
        self,
        free: int,
        min_free: int,
        prunable_checkpoints: int,
        prunable_bytes: int,
        keep_last: int,
    ) -> None:
        super().__init__(
            f"Not enough free disk space to save: {size_text(free)} free, {size_text(min_free)}"
            f" required by min-free; pruning all but the last {keep_last} checkpoints,"
            f" manual ones included, would free about {size_text(prunable_bytes)}"
        )
        self.free = free
        self.min_free = min_free
        self.prunable_checkpoints = prunable_checkpoints
        """Number of manual checkpoints that could be pruned."""
        self.prunable_bytes = prunable_bytes
        """Bytes that pruning them would free, approximately."""
        self.keep_last = keep_last


class StoreDamaged(StoreError):
    """Stored data is missing or corrupt."""

    kind = "store-damaged"


class ObjectMissing(StoreDamaged):
    """An object that a checkpoint needs is not in the store."""

    kind = "object-missing"

    def __init__(self, object_id: bytes) -> None:
        super().__init__(f"Object missing from the store: {object_id.hex()}")
        self.object_id = object_id


class ObjectCorrupt(StoreDamaged):
    """Stored data does not match its id."""

    kind = "object-corrupt"

    def __init__(self, location: str) -> None:
        super().__init__(f"Stored data does not match its checksum: {location}")
        self.location = location


# Restore and merge


class RestoreError(ClewError):
    """A restore was refused before it changed anything."""

    kind = "restore"


class NoSpaceForRestore(RestoreError):
    """The rescue or the staged files do not fit on the disk."""

    kind = "no-space-for-restore"

    def __init__(self, needed: int, free: int) -> None:
        super().__init__(
            f"Not enough disk space to restore: {needed:,} bytes needed, {free:,} free"
        )
        self.needed = needed
        self.free = free


class RestoreBlocked(RestoreError):
    """An uncovered path (excluded, a mount, unreadable) blocks a path to be restored."""

    kind = "restore-blocked"

    def __init__(self, path: str) -> None:
        super().__init__(f"Cannot restore: an excluded path is in the way: {path!r}")
        self.path = path


class WorkspaceReplaced(RestoreError):
    """Another directory or filesystem replaced the workspace root after it was scanned."""

    kind = "workspace-replaced"

    def __init__(self, path: str) -> None:
        super().__init__(f"Workspace directory was replaced during the restore: {path!r}")
        self.path = path


class RestorePending(RestoreError):
    """An interrupted restore that cannot be continued."""

    kind = "restore-pending"

    def __init__(self, target: bytes, reason: str) -> None:
        super().__init__(f"Cannot continue the restore to {target.hex()[:8]}: {reason!r}")
        self.target = target
        self.reason = reason


class MergeConflicts(RestoreError):
    """Both sides of a merge changed the same paths, and no side was chosen."""

    kind = "merge-conflicts"

    def __init__(self, merge: Merge) -> None:
        super().__init__("Merge conflicts: both sides changed the same paths; nothing was written")
        self.merge = merge


class RestoreInterrupted(KeyboardInterrupt):
    """Ctrl-C stopped a restore; `pending` describes a partial one."""

    def __init__(self, pending: InterruptedRestore | None) -> None:
        super().__init__()
        self.pending = pending


# Copies


class CopyError(ClewError):
    """A checkpoint could not be copied to a separate directory."""

    kind = "copy"


class NoSpaceForCopy(CopyError):
    """A copy of the checkpoint does not fit on the disk."""

    kind = "no-space-for-copy"

    def __init__(self, needed: int, free: int) -> None:
        super().__init__(
            f"Not enough disk space for a copy: {needed:,} bytes needed, {free:,} free"
        )
        self.needed = needed
        self.free = free


class CopyMismatch(CopyError):
    """The copy, read back, differs from the checkpoint."""

    kind = "copy-mismatch"

    def __init__(self, path: str) -> None:
        super().__init__(f"Copy differs from the checkpoint: {path!r}")
        self.path = path


class SandboxUnavailable(ClewError):
    """The system does not allow a sandboxed copy at the path of the workspace."""

    kind = "sandbox-unavailable"

    def __init__(self, reason: str) -> None:
        super().__init__(f"Sandbox not available: {reason}")
        self.reason = reason


class CommandNotStarted(ClewError):
    """A command could not be executed."""

    kind = "command-not-started"

    def __init__(self, command: str, reason: str) -> None:
        super().__init__(f"Cannot start the command ({reason}): {command!r}")
        self.command = command


# Confirmation and approval


class NeedsConfirmation(ClewError):
    """A restore would overwrite something and was not confirmed."""

    kind = "needs-confirmation"

    def __init__(self, preview: RestorePreview) -> None:
        super().__init__(f"Confirmation required: {_overwritten(preview)}")
        self.preview = preview


class PruneNeedsConfirmation(ClewError):
    """A prune would remove manual checkpoints and was not confirmed."""

    kind = "prune-needs-confirmation"

    def __init__(self, preview: PruneResult) -> None:
        number = counted(preview.made, "manual checkpoint")
        super().__init__(f"Confirmation required: {number} would be removed")
        self.preview = preview


class ForkHasChanges(ClewError):
    """A fork to be discarded has changes that exist nowhere else."""

    kind = "fork-has-changes"

    def __init__(self, name: str, problem: str = "has changes that would be lost") -> None:
        super().__init__(f"Fork {problem}: {name!r}")
        self.name = name


class UncapturedFiles(ClewError):
    """A fork's directory to be removed has files that no checkpoint holds."""

    kind = "uncaptured-files"

    def __init__(self, name: str, amount: str, paths: list[str], more: int) -> None:
        listed = ", ".join(map(repr, paths)) + (f" and {more:,} more" if more else "")
        super().__init__(
            f"Deleting fork {name!r} would lose {amount} not in any checkpoint: {listed}"
        )
        self.name = name


class DuplicateEffect(ClewError):
    """An external action that was done already; a restore removed it from history."""

    kind = "duplicate-effect"

    def __init__(self, number: int, action: str, reason: str) -> None:
        super().__init__(f"Already done as effect {number}: {action!r}")
        self.number = number
        self.action = action
        self.reason = reason


class NeedsApproval(ClewError):
    """A model requested an action that needs a person's approval, and got none."""

    kind = "needs-approval"

    def __init__(self, action: str) -> None:
        super().__init__(f"Approval required and not given: {action!r}")
        self.action = action


# Other failures


class Locked(ClewError):
    """Another process holds the lock of the store."""

    kind = "locked"

    def __init__(self, path: str) -> None:
        super().__init__(f"The store is locked by another clew process: {path!r}")
        self.path = path


class ScanFailed(ClewError):
    """A worker process of a scan died or failed; nothing was saved."""

    kind = "scan-failed"


class MigrationFailed(ClewError):
    """A session could not be migrated to another agent version; nothing was changed."""

    kind = "migration-failed"

    def __init__(self, reason: str) -> None:
        super().__init__(f"Session migration failed: {reason}")
        self.reason = reason


class MissingDependency(ClewError):
    """An optional dependency is not installed."""

    kind = "missing-dependency"

    def __init__(self, extra: str, *, package: str = "") -> None:
        super().__init__(f"Optional dependency not installed: {extra}")
        self.package = package or f"clew[{extra}]"
        """What to install."""


def _overwritten(preview: RestorePreview) -> str:
    """Return what a restore would overwrite, as a clause."""
    number = len(preview.replaced) + len(preview.deleted) + len(preview.metadata)
    if not number:
        return "the session's conversation or tasks would be replaced"
    what = "overwritten or deleted" if preview.deleted else "overwritten"
    return f"{counted(number, 'file')} would be {what}"
