"""`clew save`, also `clew checkpoint`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli import suggestions
from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.model.verdict import VerdictStatus
from clew.render import card, json, units
from clew.render.safe import safe, safe_line, safe_path

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.save_result import SaveResult
    from clew.model.verdict import Verdict
    from clew.workspace.protocol import WorkspaceProtocol

COMMAND = Command(
    "save",
    "Create a checkpoint: a snapshot of the workspace",
    """\
Captures every file in the workspace, including ignored files and .git; identical data is stored
once (deduplication).
On first use, registers the current directory as a workspace.
A check runs in the workspace after the capture and does not affect the checkpoint. The result is
discarded if captured files change while it runs.
Manual checkpoints are kept until you delete them; automatic ones are pruned by retention rules, see
`clew prune --help`. A store larger than `max-bytes` causes a warning. If the disk has less than
`min-free` left, automatic checkpoints are pruned first; if that is not enough, the save fails.""",
    (
        Positional(
            "INTENT",
            "Short description (default: subject of the last git commit)",
            required=False,
        ),
    ),
    (
        Option(("-m",), "The same as INTENT, as in git", "TEXT", hidden=("--message",)),
        Option(("--name",), "Name for later reference; named checkpoints are never pruned", "NAME"),
        Option(("--description",), "Longer description", "TEXT"),
        Option(
            ("--verify",),
            "Run COMMAND, or probe an http:// URL, and record the result",
            "COMMAND",
        ),
        Option(("--check",), "Run the configured check (`clew config set verify COMMAND`)"),
        Option(("--timeout",), "Time limit for the check (default 10m, 30s for a URL)", "TIME"),
        Option(("--meta",), "Attach metadata", "KEY=VALUE", many=True),
        Option(("--skip-unchanged",), "Do not create a checkpoint if nothing changed"),
        Option(
            ("--session",),
            "Record this session instead of the attached one, or `none`",
            "ID",
        ),
        Option(
            ("--strict",),
            "Exit with 3 if some files could not be read, 4 if the check fails",
        ),
    ),
    aliases=("checkpoint",),
)


def run(args: Arguments, context: CommandContext) -> int:
    meta = args.pairs("--meta")
    _require_sense(args, context)
    # A new workspace has no configured check, so --check does not create one.
    with context.open(create=not args.given("--check")) as workspace:
        if workspace.is_new:
            path, store = safe_path(workspace.info.path), safe(workspace.store.path)
            context.say(f"Created workspace with its store in {store}: {path}")
        is_first = workspace.info.here is None
        if is_first:
            context.monitor.hurry()
        result = _saved(args, context, workspace, meta)
    if is_first:
        context.say(_amount(result))
    for notice in result.notices:
        context.say(safe(notice))
    look = context.look()
    context.emit(lambda: json.saved(result), lambda: card.saved(result, look))
    if result.verdict is not None and result.verdict.changed_count:
        context.say(
            f"Hint: Run the check in a sandboxed copy with {_private_check(args, result.verdict)}"
        )
    return _strict_code(result) if args.given("--strict") else ExitCode.DONE


def _require_sense(args: Arguments, context: CommandContext) -> None:
    """Validate options before a workspace is created."""
    _intent(args)
    name = args.maybe("--name")
    if name is not None:
        context.library.require_name(name)
    verify, timeout = args.maybe("--verify"), args.maybe("--timeout")
    if verify is not None or timeout is not None:
        context.library.require_check(verify, args.given("--check"), timeout)


def _intent(args: Arguments) -> str | None:
    message = args.maybe("-m")
    if message is not None and args.maybe("INTENT") is not None:
        raise suggestions.given_twice("-m", "INTENT", "save")
    return message if message is not None else args.maybe("INTENT")


def _saved(
    args: Arguments, context: CommandContext, workspace: WorkspaceProtocol, meta: dict[str, str]
) -> SaveResult:
    return workspace.save(
        _intent(args),
        name=args.maybe("--name"),
        description=args.maybe("--description") or "",
        verify=_verify(args, context, workspace),
        check=args.given("--check"),
        timeout=args.maybe("--timeout"),
        meta=meta,
        skip_unchanged=args.given("--skip-unchanged"),
        session=args.maybe("--session"),
        monitor=context.monitor,
    )


def _verify(args: Arguments, context: CommandContext, workspace: WorkspaceProtocol) -> str | None:
    """Return the check to run, in the directory in which clew was started."""
    verify = args.maybe("--verify")
    if verify is None:
        return None
    from clew.cli.copies import where_started  # few saves have a check
    from clew.model.sandbox_results import line_of

    return line_of(where_started(verify, workspace, context))


def _private_check(args: Arguments, verdict: Verdict) -> str:
    """Return the command that runs the same check in a sandboxed copy."""
    from shlex import quote  # only for this hint

    from clew.policy.labels import label

    is_address = verdict.command.startswith(("http://", "https://"))
    serve = " --serve COMMAND" if is_address else ""
    command = label(args.maybe("--verify") or "")  # without the directory, in which it is run again
    check = "" if args.given("--check") else f" -- {safe_line(quote(command))}"
    return f"`clew verify @{serve}{check}`"


def _strict_code(result: SaveResult) -> int:
    if not result.checkpoint.record.coverage.complete:
        return ExitCode.PARTIAL
    verdict = result.verdict
    has_passed = verdict is None or verdict._replace(is_flaky=False).status == VerdictStatus.PASSING
    return ExitCode.DONE if has_passed else ExitCode.VERIFICATION


def _amount(result: SaveResult) -> str:
    coverage = result.checkpoint.record.coverage
    entries = units.count(coverage.files, "entry", "entries")
    size = units.size(coverage.total_bytes)
    return f"Read {entries}, {size}; later saves read only what changed"
