"""`clew save`, also `clew checkpoint`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.errors import BadOption, ClewError
from clew.render import card, json, units
from clew.render.safe import safe, safe_path

if TYPE_CHECKING:
    from clew.cli.context import Context
    from clew.cli.parse import Arguments
    from clew.model.results import SaveResult
    from clew.workspace import Workspace

_NOW_AND_THEN = 20
"""Saves between two looks at the size of the store, which cost a little each."""

COMMAND = Command(
    "save",
    "Capture the workspace as it is now",
    """\
Everything on disk is captured, ignored files and .git included.
On first use the current directory becomes a workspace.
A check given with --verify runs after the capture, which stands whatever the check says.""",
    (
        Positional(
            "INTENT",
            "What this moment is; by default the last git commit's subject",
            required=False,
        ),
    ),
    (
        Option(("--name",), "A name to find it by, which also keeps it from being pruned", "NAME"),
        Option(("--description",), "More about it", "TEXT"),
        Option(("--verify",), "Run COMMAND and note whether it passes", "COMMAND"),
        Option(("--meta",), "Keep a value with it, as KEY=VALUE", "KEY=VALUE", many=True),
        Option(("--skip-unchanged",), "Make no checkpoint if nothing changed"),
        Option(("--strict",), "Exit with 3 if not everything could be read"),
    ),
    aliases=("checkpoint",),
)


def run(args: Arguments, context: Context) -> int:
    meta = _meta(args.all("--meta"))
    name = args.maybe("--name")
    if name is not None:
        context.library.require_name(name)  # before a workspace is made for nothing
    with context.open(create=True) as workspace:
        if workspace.is_new:
            path, store = safe_path(workspace.info.path), safe(workspace.store_path)
            context.say(f"This is now a workspace, with its history in {store}: {path}")
        is_first = workspace.info.here is None
        if is_first:
            context.monitor.hurry()
        result = workspace.save(
            args.maybe("INTENT"),
            name=name,
            description=args.maybe("--description") or "",
            verify=args.maybe("--verify"),
            meta=meta,
            skip_unchanged=args.given("--skip-unchanged"),
            monitor=context.monitor,
        )
        outgrown = _has_outgrown(workspace, result)
    if is_first:
        context.say(_amount(result))
    for notice in result.notices:
        context.say(safe(notice))
    look = context.look()
    context.emit(lambda: json.saved(result), lambda: card.saved(result, look))
    if outgrown:
        workspace.prune_in_background()
    is_complete = result.checkpoint.record.coverage.complete
    return ExitCode.PARTIAL if args.given("--strict") and not is_complete else ExitCode.DONE


def _meta(pairs: list[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise BadOption("--meta", f"not KEY=VALUE: {pair!r}")
        found[key] = value
    return found


def _has_outgrown(workspace: Workspace, result: SaveResult) -> bool:
    """Tell, now and then, whether it is time to prune; nothing here may spoil a save.

    Pruning never runs inside a save: when it is due, a process of its own does it.
    """
    if result.checkpoint.record.sequence % _NOW_AND_THEN:
        return False
    try:
        return workspace.is_prune_due()
    except (ClewError, OSError):
        return False


def _amount(result: SaveResult) -> str:
    coverage = result.checkpoint.record.coverage
    entries = units.count(coverage.files, "entry", "entries")
    size = units.size(coverage.total_bytes)
    return f"Read everything once, {entries} and {size}; from now on only what changes"
