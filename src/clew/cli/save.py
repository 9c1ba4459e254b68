"""`clew save`, also `clew checkpoint`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.model.verdict import VerdictStatus
from clew.render import card, json, units
from clew.render.safe import safe, safe_line, safe_path

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.save_result import SaveResult
    from clew.model.verdict import Verdict
    from clew.workspace import Workspace

COMMAND = Command(
    "save",
    "Capture the workspace as it is now",
    """\
Everything on disk is captured, ignored files and .git included.
On first use the current directory becomes a workspace.
A check runs in the workspace after the capture, which stands whatever the check says.
Its word does not count if files that were captured change or vanish while it runs.
The workspace's own check is set with `clew config set verify COMMAND`.
What you save stays until you remove it: only automatic checkpoints are pruned by themselves, see
`clew prune --help`. A store that outgrows its budget, `max-bytes`, is warned of. Where the disk
has less than `min-free` left, automatic checkpoints go first, and then a save is refused.""",
    (
        Positional(
            "INTENT",
            "What this moment is; by default the last git commit's subject",
            required=False,
        ),
    ),
    (
        Option(("--name",), "A name to find it by; no prune removes what is named", "NAME"),
        Option(("--description",), "More about it", "TEXT"),
        Option(
            ("--verify",),
            "Run COMMAND, or ask an http:// address, and note whether it passes",
            "COMMAND",
        ),
        Option(("--check",), "Run the workspace's own check"),
        Option(("--timeout",), "Give the check so long, 10m by default, 30s an address", "TIME"),
        Option(("--meta",), "Keep a value with it, as KEY=VALUE", "KEY=VALUE", many=True),
        Option(("--skip-unchanged",), "Make no checkpoint if nothing changed"),
        Option(
            ("--session",),
            "Carry that session instead of the one attached, or `none`",
            "ID",
        ),
        Option(
            ("--strict",),
            "Exit with 3 if not everything could be read, with 4 if the check does not pass",
        ),
    ),
    aliases=("checkpoint",),
)


def run(args: Arguments, context: CommandContext) -> int:
    meta = _meta(args.all("--meta"))
    _require_sense(args, context)
    # What is no workspace yet has no check of its own.
    with context.open(create=not args.given("--check")) as workspace:
        if workspace.is_new:
            path, store = safe_path(workspace.info.path), safe(workspace.store_path)
            context.say(f"This is now a workspace, with its history in {store}: {path}")
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
        context.say(f"Hint: {_private_check(args, result.verdict)} runs it undisturbed")
    return _strict_code(result) if args.given("--strict") else ExitCode.DONE


def _require_sense(args: Arguments, context: CommandContext) -> None:
    """Refuse what makes no sense before a workspace is made for nothing."""
    name = args.maybe("--name")
    if name is not None:
        context.library.require_name(name)
    verify, timeout = args.maybe("--verify"), args.maybe("--timeout")
    if verify is not None or timeout is not None:
        context.library.require_check(verify, args.given("--check"), timeout)


def _saved(
    args: Arguments, context: CommandContext, workspace: Workspace, meta: dict[str, str]
) -> SaveResult:
    return workspace.save(
        args.maybe("INTENT"),
        name=args.maybe("--name"),
        description=args.maybe("--description") or "",
        verify=args.maybe("--verify"),
        check=args.given("--check"),
        timeout=args.maybe("--timeout"),
        meta=meta,
        skip_unchanged=args.given("--skip-unchanged"),
        session=args.maybe("--session"),
        monitor=context.monitor,
    )


def _private_check(args: Arguments, verdict: Verdict) -> str:
    """Return the command that runs the same check in a private copy, where nothing disturbs it."""
    from shlex import quote  # only for this hint

    is_address = verdict.command.startswith(("http://", "https://"))
    serve = " --serve COMMAND" if is_address else ""
    check = "" if args.given("--check") else f" -- {safe_line(quote(verdict.command))}"
    return f"`clew verify @{serve}{check}`"


def _strict_code(result: SaveResult) -> int:
    if not result.checkpoint.record.coverage.complete:
        return ExitCode.PARTIAL
    verdict = result.verdict
    has_passed = verdict is None or verdict._replace(is_flaky=False).status == VerdictStatus.PASSING
    return ExitCode.DONE if has_passed else ExitCode.VERIFICATION


def _meta(pairs: list[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise BadOption("--meta", f"not KEY=VALUE: {pair!r}")
        found[key] = value
    return found


def _amount(result: SaveResult) -> str:
    coverage = result.checkpoint.record.coverage
    entries = units.count(coverage.files, "entry", "entries")
    size = units.size(coverage.total_bytes)
    return f"Read everything once, {entries} and {size}; from now on only what changes"
