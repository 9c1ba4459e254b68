"""From what went wrong to what to do next: one match, an exit code and a hint for each error.

Errors know nothing of commands; a page or an agent's tool would give other hints.
"""

from __future__ import annotations

import errno

from clew import errors
from clew.cli.exits import ExitCode
from clew.cli.suggestions import BadCommandLine


def explain(error: errors.ClewError, verb: str = "COMMAND") -> tuple[int, str]:
    """Return the exit code for an error of `clew VERB`, and the next step."""
    match error:
        case BadCommandLine():
            return ExitCode.USAGE, error.hint
        case errors.NothingToUndo():
            return (
                ExitCode.FAILED,
                "`clew log` lists every checkpoint; `clew restore REF` goes to one",
            )
        case errors.NothingToRedo():
            return ExitCode.FAILED, "Only an undo can be redone; `clew restore REF` goes anywhere"
        case errors.DirtyWorkspace():
            return (
                ExitCode.FAILED,
                "Keep the changes with `clew save`, or drop them with `clew undo`",
            )
        case errors.NoInterruptedRestore():
            return ExitCode.FAILED, "`clew restore REF` goes to a checkpoint; `clew log` lists them"
        case errors.UsageError():
            return ExitCode.USAGE, _usage_hint(error, verb)
        case errors.NeedsConfirmation():
            return ExitCode.UNCONFIRMED, "Run it again with --yes if that is what you want"
        case errors.NeedsApproval():
            return (
                ExitCode.UNCONFIRMED,
                (
                    "Only a person can approve it: where the client asks, in `clew mcp "
                    "--allow-commands`, or by `clew config set verify COMMAND` for a check"
                ),
            )
        case errors.PruneUnconfirmed():
            return ExitCode.UNCONFIRMED, "See them with --dry-run; remove them with --yes"
        case errors.ForkHasChanges():
            return (
                ExitCode.UNCONFIRMED,
                f"Bring them back with `clew adopt {error.name}`, or discard it with --yes",
            )
        case errors.FilesNotHeld():
            return ExitCode.UNCONFIRMED, "Copy what you need, then run it again with --yes"
        case errors.EffectRepeats():
            return ExitCode.UNCONFIRMED, f"It is {error.reason}; repeat it on purpose with --again"
        case errors.MigrationFailed():
            return ExitCode.FAILED, "Nothing was changed; mend the converter and run it again"
        case errors.MissingExtra():
            return ExitCode.FAILED, f"Install it with `pip install 'clew[{error.extra}]'`"
        case errors.StoreError():
            return _store_code(error), _store_hint(error)
        case errors.RestoreError():
            return ExitCode.FAILED, _restore_hint(error)
        case errors.EnclosureUnavailable():
            return ExitCode.FAILED, "Allow user namespaces on this system, or run clew as root"
        case errors.NoRoomForCopy():
            return ExitCode.FAILED, "Free some space; `clew gc` drops the copies that are kept"
        case errors.CopyDiffers():
            return (
                ExitCode.FAILED,
                "Run it again; if it stays so, the disk or its filesystem differs",
            )
        case errors.Busy():
            return ExitCode.FAILED, "Wait for it to end, then run the command again"
        case _:
            return ExitCode.FAILED, "Run it again with CLEW_DEBUG=1 for the details"


def explain_os_error(error: OSError) -> str:
    """Return the next step after the system refused something that nobody foresaw."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return "Free some space; `clew prune` and `clew gc` shrink the store"
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return "Check who owns that path, or run clew as a user who may use it"
        case errno.ENOENT | errno.ENOTDIR:
            return "Check that the path exists, then run the command again"
        case _:
            return "Run it again; CLEW_DEBUG=1 shows the details"


def _usage_hint(error: errors.UsageError, verb: str) -> str:
    match error:
        case errors.CheckpointRemoved() if error.nearest is not None:
            return (
                f"The nearest that is left is {error.nearest[:8]}: `clew show {error.nearest[:8]}`"
            )
        case errors.UnknownReference(text="good"):
            return "Nothing has passed yet: `clew save --verify COMMAND`, or `clew verify REF`"
        case errors.BadReference() | errors.UnknownReference():
            return "`clew log` lists the checkpoints with their ids"
        case errors.AmbiguousReference():
            return "Give more digits of the id, or write id:, name: or time: before it"
        case errors.BadName():
            return "Choose a word that starts with a letter and is no id, time or keyword"
        case errors.OutsideWorkspace():
            return "Give a path inside the workspace, or name another workspace with -C DIR"
        case errors.NoSuchPath():
            return "`clew ls REF` lists what a checkpoint holds"
        case errors.UnknownWorkspace():
            return "Give the id that `clew init --json` printed for it; the store may be another"
        case errors.NotAWorkspace():
            return "Make one here with `clew save` or `clew init`, or name one with -C DIR"
        case errors.GuardedRoot() if verb == "enable":
            return "Go to a project, or use --user; to keep all of it run `clew init DIR` first"
        case errors.GuardedRoot():
            return "Name it: `clew init DIR`, or `clew init --machine /` for a whole machine"
        case errors.RootGone():
            return "Bring it back with `clew restore @`"
        case errors.WorkspaceMoved():
            return f"If it was moved or cloned, run `clew init --attach {error.workspace}` in it"
        case errors.NoCommonAncestor():
            return "`clew diff A B` compares any two checkpoints"
        case errors.NoCheck():
            return "Say what it is with `clew config set verify COMMAND`"
        case errors.UnknownFork() | errors.AmbiguousFork():
            return "`clew forks` lists them with their names"
        case errors.BadForkName():
            return "Give it another name with --name NAME"
        case errors.BadForkPlace():
            return "Name a directory that does not exist yet, or none for one in the store"
        case errors.BadSettings():
            return "Mend it by hand, or choose --user or --project; nothing was written"
        case errors.IsNeeded():
            return "Restore another checkpoint first, then delete this one"
        case errors.WrongWayRound():
            return f"The older one comes first: `clew bisect {error.bad} {error.good}`"
        case errors.NoSession():
            return "Begin or attach one with `clew session attach`, or name one with --session"
        case errors.UnknownSession():
            return "`clew session list` names them; give its id, or the first digits of it"
        case errors.UnknownTask() | errors.TaskEnded():
            return "`clew task list` shows them with their numbers"
        case errors.UnknownEffect() | errors.EffectSettled():
            return "`clew effect list` shows them with their numbers"
        case errors.BadOption():
            return f"`clew {verb} --help` says what may be given"
        case _:
            return f"See `clew {verb} --help`"


def _store_code(error: errors.StoreError) -> int:
    return ExitCode.DAMAGED if isinstance(error, errors.StoreDamaged) else ExitCode.FAILED


def _store_hint(error: errors.StoreError) -> str:
    match error:
        case errors.NotAStore():
            return "Name another directory with --store DIR or CLEW_HOME; an empty one will do"
        case errors.StoreNotOurs():
            return "Use a store of your own with --store DIR or CLEW_HOME"
        case errors.StoreReadOnly():
            return "Make it writable, or use another with --store DIR or CLEW_HOME"
        case errors.StoreTooNew():
            return "Upgrade clew, or use another store with --store DIR or CLEW_HOME"
        case errors.StoreFull():
            return "Free some space on that disk; `clew prune` and `clew gc` shrink the store"
        case errors.NoRoomForSave():
            return (
                f"Free some space, run `clew prune --keep-last {error.keep_last}`, which asks"
                " first, or lower the floor with `clew config set min-free SIZE`"
            )
        case errors.StoreDamaged():
            return "See how far it goes with `clew check --read-data`; nothing damaged is restored"
        case _:
            return "See what is wrong with `clew check`"


def _restore_hint(error: errors.RestoreError) -> str:
    match error:
        case errors.NoRoomForRestore():
            return "Free some space, or restore fewer paths: `clew restore REF PATH`"
        case errors.MergeConflicts():
            return "Decide them with --theirs or --ours, or take other paths only, by PATH"
        case errors.RestorePending():
            return "Take it back with `clew restore --abort`, or mend that and `--continue`"
        case errors.RootReplaced():
            return "Nothing was changed; move or unmount what is there, then run the command again"
        case errors.RestoreBlocked():
            return "Move it away, or restore other paths: `clew restore REF PATH`"
        case _:
            return "See what it would do with `clew restore REF --preview`"
