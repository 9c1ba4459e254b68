"""Exit codes and hints for errors.

Hints name commands, so they belong to the command line; another surface gives other hints.
"""

from __future__ import annotations

import errno

from clew import errors
from clew.cli.exits import ExitCode
from clew.cli.suggestions import BadCommandLine


def explain(error: errors.ClewError, verb: str = "COMMAND") -> tuple[int, str]:
    """Return the exit code for an error of `clew VERB`, and the hint."""
    match error:
        case BadCommandLine():
            return ExitCode.USAGE, error.hint
        case errors.NothingToUndo():
            return (
                ExitCode.FAILED,
                "List the checkpoints with `clew log`, restore one with `clew restore REF`",
            )
        case errors.NothingToRedo():
            return ExitCode.FAILED, "Restore any checkpoint with `clew restore REF`"
        case errors.DirtyWorkspace():
            return (
                ExitCode.FAILED,
                "Save the changes with `clew save`, or revert them with `clew undo`",
            )
        case errors.NoInterruptedRestore():
            return (
                ExitCode.FAILED,
                "Restore a checkpoint with `clew restore REF`; list them with `clew log`",
            )
        case errors.NoFailedCall():
            return (
                ExitCode.FAILED,
                "`clew log` marks checkpoints with failed calls; hooks record them, see `clew enable`",
            )
        case errors.UsageError():
            return ExitCode.USAGE, _usage_hint(error, verb)
        case errors.NeedsConfirmation():
            return ExitCode.UNCONFIRMED, "Run the command again with --yes to confirm"
        case errors.NeedsApproval():
            return (
                ExitCode.UNCONFIRMED,
                (
                    "Approve it in the client, start the server with `clew mcp --allow-commands`,"
                    " or configure a check with `clew config set verify COMMAND`"
                ),
            )
        case errors.PruneNeedsConfirmation():
            return ExitCode.UNCONFIRMED, "List them with --dry-run, or remove them with --yes"
        case errors.ForkHasChanges():
            return (
                ExitCode.UNCONFIRMED,
                f"Merge them with `clew adopt {error.name}`, or discard the fork with --yes",
            )
        case errors.UncapturedFiles():
            return ExitCode.UNCONFIRMED, "Copy what you need, then run the command again with --yes"
        case errors.DuplicateEffect():
            return ExitCode.UNCONFIRMED, f"It is {error.reason}; repeat it with --again"
        case errors.MigrationFailed():
            return (
                ExitCode.FAILED,
                "Fix the converter and run the command again; nothing was changed",
            )
        case errors.MissingDependency():
            return ExitCode.FAILED, f"Install it with `pip install '{error.package}'`"
        case errors.StoreError():
            return _store_code(error), _store_hint(error)
        case errors.RestoreError():
            return ExitCode.FAILED, _restore_hint(error)
        case errors.SandboxUnavailable():
            return ExitCode.FAILED, "Allow user namespaces on this system, or run clew as root"
        case errors.CommandNotStarted():
            return (
                ExitCode.NOT_STARTED,
                "Check the command; it is searched in PATH, inside the fork",
            )
        case errors.NoSpaceForCopy():
            return ExitCode.FAILED, "Free disk space; `clew gc` removes cached copies"
        case errors.CopyMismatch():
            return (
                ExitCode.FAILED,
                "Run the command again; if it fails again, check the disk and its filesystem",
            )
        case errors.Locked():
            return ExitCode.FAILED, "Wait for that process to finish, then run the command again"
        case _:
            return ExitCode.FAILED, "Run the command again with CLEW_DEBUG=1 for a traceback"


def hint_for(error: Exception, verb: str) -> str:
    """Return the hint for an error of `clew VERB` that is reported among other results."""
    if isinstance(error, errors.ClewError):
        return explain(error, verb)[1]
    return explain_os_error(error) if isinstance(error, OSError) else ""


def explain_os_error(error: OSError) -> str:
    """Return the hint for an unexpected error of the operating system."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return "Free disk space; `clew prune` and `clew gc` shrink the store"
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return "Check the permissions of that path, or run clew as another user"
        case errno.ENOENT | errno.ENOTDIR:
            return "Check that the path exists, then run the command again"
        case _:
            return "Run the command again with CLEW_DEBUG=1 for a traceback"


def _instead_of_head(text: str) -> str:
    """Return how a reference that git would understand is written here."""
    steps = text.removeprefix("HEAD")
    if steps and not steps.strip("^"):
        steps = f"~{len(steps)}"
    is_known = not steps or (steps[0] == "~" and steps[1:].isdecimal())
    written = "@" + steps if is_known else "@~N"
    return f"Write `{written}`: `@` is the checkpoint last saved or restored"


def _usage_hint(error: errors.UsageError, verb: str) -> str:
    match error:
        case errors.CheckpointRemoved() if error.nearest is not None:
            return f"Inspect the nearest remaining checkpoint with `clew show {error.nearest[:8]}`"
        case errors.UnknownReference(text="good"):
            return "Run a check with `clew save --verify COMMAND` or `clew verify REF`; none has passed yet"
        case errors.BadReference() | errors.UnknownReference() if error.text.startswith("HEAD"):
            return _instead_of_head(error.text)
        case errors.BadReference() | errors.UnknownReference():
            return "List the checkpoints with `clew log`"
        case errors.AmbiguousReference():
            return "Give more digits of the id, or prefix it with id:, name: or time:"
        case errors.BadName():
            return "Choose a name that starts with a letter and is not an id, a time or a reserved word"
        case errors.OutsideWorkspace():
            return "Give a path inside the workspace, or choose another workspace with -C DIR"
        case errors.NoSuchPath():
            return "List the files of a checkpoint with `clew ls REF`"
        case errors.UnknownWorkspace():
            return "List them with `clew workspaces`, or choose their store with --store DIR"
        case errors.AmbiguousWorkspace():
            return "Give more of the path, or the id that `clew workspaces` shows"
        case errors.NotAWorkspace():
            return "Create one here with `clew save` or `clew init`, or choose one of `clew workspaces` with -w NAME"
        case errors.ExplicitPathRequired() if verb == "enable":
            return (
                "Change to a project, use --user, or run `clew init DIR` first to capture all of it"
            )
        case errors.ExplicitPathRequired():
            return "Run `clew init DIR`, or `clew init --machine /` for a whole machine"
        case errors.WorkspaceMissing(path=""):
            return "Connect it to a directory with `clew init DIR --attach NAME`; see `clew workspaces`"
        case errors.WorkspaceMissing():
            return "Bring it back with `clew restore @`"
        case errors.WorkspaceMoved():
            return f"If it was moved or cloned, run `clew init --attach {error.workspace}` there"
        case errors.NoCommonAncestor():
            return "Compare any two checkpoints with `clew diff A B`"
        case errors.NoCheckConfigured():
            return "Configure one with `clew config set verify COMMAND`"
        case errors.UnknownFork() | errors.AmbiguousFork():
            return "List the forks with `clew forks`"
        case errors.BadForkName():
            return "Choose another name with --name NAME"
        case errors.BadForkDirectory():
            return "Give a directory that does not exist, or none to keep the files in the store"
        case errors.CannotEnter(has_files=False):
            return f"Write its files to a directory with `clew fork fork:{error.name} DIR`"
        case errors.CannotEnter():
            return "See where its files are with `clew forks`"
        case errors.BadAgentSettings():
            return "Fix the file by hand, or choose --user or --project; nothing was written"
        case errors.CheckpointInUse():
            return "Restore another checkpoint first, then delete this one"
        case errors.GoodNewerThanBad():
            return f"Swap them: `clew bisect {error.bad} {error.good}`"
        case errors.NoSession():
            return "Attach one with `clew session attach`, or choose one with --session ID"
        case errors.UnknownSession():
            return "List the sessions with `clew session list`"
        case errors.UnknownTask() | errors.TaskEnded():
            return "List the tasks with `clew task list`"
        case errors.UnknownEffect() | errors.EffectSettled():
            return "List the effects with `clew effect list`"
        case _:
            return f"See `clew {verb} --help`"


def _store_code(error: errors.StoreError) -> int:
    return ExitCode.DAMAGED if isinstance(error, errors.StoreDamaged) else ExitCode.FAILED


def _store_hint(error: errors.StoreError) -> str:
    match error:
        case errors.NotAStore():
            return "Choose a store or an empty directory with --store DIR or CLEW_HOME"
        case errors.StoreWrongOwner():
            return "Choose your own store with --store DIR or CLEW_HOME"
        case errors.StoreReadOnly():
            return "Make it writable, or choose another store with --store DIR or CLEW_HOME"
        case errors.StoreTooNew():
            return "Upgrade clew, or choose another store with --store DIR or CLEW_HOME"
        case errors.StoreFull():
            return "Free space on that disk; `clew prune` and `clew gc` shrink the store"
        case errors.NoSpaceForSave():
            return (
                f"Free disk space, run `clew prune --keep-last {error.keep_last}`, or lower the"
                " limit with `clew config set min-free SIZE`"
            )
        case errors.StoreDamaged():
            return (
                "Find the damage with `clew fsck --read-data`, repair the index with"
                " `clew fsck --rebuild`; damaged data is never restored"
            )
        case _:
            return (
                "Check the disk, the owner and the permissions of the store, then run `clew fsck`"
            )


def _restore_hint(error: errors.RestoreError) -> str:
    match error:
        case errors.NoSpaceForRestore():
            return "Free disk space, or restore fewer paths with `clew restore REF PATH`"
        case errors.MergeConflicts():
            return (
                "Resolve them with --theirs or --ours, or limit the merge to other paths with PATH"
            )
        case errors.RestorePending():
            return (
                "Fix the problem and run `clew restore --continue`, or run `clew restore --abort`"
            )
        case errors.WorkspaceReplaced():
            return (
                "Move or unmount the new directory, then run the command again; nothing was changed"
            )
        case errors.RestoreBlocked():
            return "Move it away, or restore other paths with `clew restore REF PATH`"
        case _:
            return "Preview it with `clew restore REF --dry-run`"
