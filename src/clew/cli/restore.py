"""`clew restore`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.confirm_restore import (
    PREVIEW_ALL,
    SIDES,
    YES,
    answer,
    confirmed,
    parse_sides,
    show_preview,
)
from clew.cli.declare import DRY_RUN, REF, REVEAL, Command, Option, Positional
from clew.cli.parts import answer_written, chosen_parts, write_conversation
from clew.errors import BadOption

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.restore_results import RestorePreview, RestoreResult

COMMAND = Command(
    "restore",
    "Restore the workspace to a checkpoint",
    """\
Without REF, on a terminal, shows the timeline, in which a checkpoint can be searched, previewed,
compared, verified, forked and restored; `?` lists the keys.
Saves the current state first (a rescue checkpoint), so `clew undo` reverses a restore.
Writes only what differs; paths that the checkpoint does not cover are left alone.
If REF belongs to the attached session, its conversation and tasks are restored too; --files,
--conversation and --tasks select parts. --conversation OUT writes the conversation to a file instead,
`-` for standard output.
--keep-mine reverts what was saved since REF and keeps edits made after the last checkpoint, by
three-way merge; on conflicts, it lists them all and changes nothing.
--interactive asks about each changed path, and about directories with many of them as a whole; it
restores files only, and so does `i` at the question.
--before-failure restores the checkpoint before the last tool call of an agent that failed, in the
current line of history; hooks record these calls (`clew enable`).
Asks before it overwrites what the current checkpoint does not hold, or what running programs have open
(setting `restore.ask`); without a terminal, --yes is required before anything is overwritten.

Every command reports an interrupted restore (Ctrl-C, crash, power cut), and the next command that
writes continues it. --continue finishes it, --abort returns to the state before it. Files that you
changed in the meantime are kept and listed, with exit code 3.""",
    (
        Positional("REF", REF.description + " (default: pick one)", picked=True),
        Positional("PATH", "Restore only these paths", required=False, many=True),
    ),
    (
        DRY_RUN,
        Option(
            ("--before-failure",),
            "Restore the checkpoint before the last failed tool call",
            alone=True,
        ),
        Option(("--session",), "With --before-failure: only calls of this session", "ID"),
        Option(("--continue",), "Finish an interrupted restore", alone=True),
        Option(("--abort",), "Undo an interrupted restore", alone=True),
        Option(("--files",), "Restore the files"),
        Option(
            ("--conversation",),
            "Restore the conversation, or write it to OUT",
            "OUT",
            optional=True,
        ),
        Option(("--tasks",), "Restore the task list"),
        Option(("--keep-mine",), "Keep edits made since the last checkpoint (three-way merge)"),
        *SIDES,
        PREVIEW_ALL,
        Option(("-i", "--interactive"), "Choose the paths to restore, one by one"),
        REVEAL,
        YES,
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    if args.given("--continue") or args.given("--abort"):
        return _resume(args, context)
    is_before_failure, session = args.given("--before-failure"), args.maybe("--session")
    if is_before_failure and args.maybe("REF") is not None:
        raise BadOption("--before-failure", "takes no REF")
    if not is_before_failure and args.maybe("REF") is None:
        return _pick(args, context)
    ref = None if is_before_failure else args.one("REF")
    paths, monitor = args.all("PATH"), context.monitor
    parts, out = chosen_parts(args), args.maybe("--conversation") or ""
    keep_mine, favour = args.given("--keep-mine"), parse_sides(args)
    if args.given("--interactive"):
        _require_choice(args, context)
    with context.open() as workspace:
        if args.given("--dry-run"):
            plan = workspace.preview(
                ref,
                paths=paths,
                parts=parts,
                keep_mine=keep_mine,
                favour=favour,
                before_failure=is_before_failure,
                session=session,
                monitor=monitor,
            )
            return show_preview(plan, context, everything=args.given("--all"))
        if out and ref is None:
            raise BadOption("--conversation OUT", "cannot be combined with --before-failure")
        written = write_conversation(workspace, ref, out, args, context) if out and ref else None
        if written is not None and not parts:
            return answer_written(written, context)
        if args.given("--interactive"):
            plan = workspace.preview(
                ref,
                paths=paths,
                before_failure=is_before_failure,
                session=session,
                monitor=monitor,
            )
            if not (plan.created or plan.needs_confirmation):
                return show_preview(plan, context)
            return answer(_restore_chosen(plan, context), context)
        result = confirmed(
            lambda confirm: workspace.restore(
                ref,
                paths=paths,
                parts=parts,
                keep_mine=keep_mine,
                favour=favour,
                before_failure=is_before_failure,
                session=session,
                confirm=confirm,
                monitor=monitor,
            ),
            args,
            context,
            choose=None if keep_mine else lambda plan: _restore_chosen(plan, context),
        )
    return answer(result._replace(brought=result.brought._replace(written=written)), context)


def _pick(args: Arguments, context: CommandContext) -> int:
    """Show the timeline to pick a checkpoint from; without a terminal, one must be named."""
    from clew.cli import picker  # rarely asked for

    options = (option.key for option in COMMAND.options)
    if not picker.can_pick(context) or any(args.given(option) for option in options):
        from clew.cli import suggestions  # only for mistakes

        raise suggestions.missing_argument("REF", "restore")
    from clew.cli.dispatch import dispatch  # it has imported this module

    return picker.pick(context, dispatch)


def _restore_chosen(plan: RestorePreview, context: CommandContext) -> RestoreResult:
    """Let the user choose among the paths of a preview, and restore those."""
    from clew.cli import choose_paths  # rarely asked for

    return choose_paths.restore_chosen(plan, context)


def _require_choice(args: Arguments, context: CommandContext) -> None:
    """Refuse --interactive where nobody can choose, or where there is nothing to choose."""
    if not context.can_ask:
        raise BadOption("--interactive", "requires a terminal")
    for other in _NOT_CHOSEN:
        if args.given(other):
            raise BadOption("--interactive", f"cannot be combined with {other}")


_NOT_CHOSEN = (
    "--dry-run", "--yes", "--keep-mine", "--theirs", "--ours",
    "--files", "--conversation", "--tasks",
)  # fmt: skip
"""Options that --interactive contradicts: it restores files, and asks about each."""


def _resume(args: Arguments, context: CommandContext) -> int:
    """Continue or abort an interrupted restore; its journal has the checkpoint and paths."""
    is_abort = args.given("--abort")
    option = "--abort" if is_abort else "--continue"
    if args.maybe("REF") is not None:
        raise BadOption(option, "takes no REF")
    for other in _ALONE:
        if other != option and args.given(other):
            raise BadOption(option, f"cannot be combined with {other}")
    with context.open() as workspace:
        act = workspace.abort_restore if is_abort else workspace.continue_restore
        result = act(monitor=context.monitor)
    return answer(result, context)


_ALONE = (
    "--continue",
    "--abort",
    "--dry-run",
    "--before-failure",
    "--session",
    "--files",
    "--conversation",
    "--tasks",
    "--keep-mine",
    "--interactive",
)
