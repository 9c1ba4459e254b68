"""`clew enable`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.cli.scopes import PROJECT, USER, scope_of
from clew.errors import BadOption
from clew.render import json_setup, setup

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "enable",
    "Checkpoint an agent's work automatically",
    """\
Creates a first checkpoint and installs hooks in the agent's settings. The hooks create a checkpoint
before destructive commands, and after each batch of tool calls that changed files.
Captures the nearest workspace, or with --machine everything, including packages and services.
Writes only its own entries, which `clew disable` removes completely. Settings files with comments or
syntax errors are not edited. The default is --project.
In a project, the hooks of Claude Code are written to .claude/settings.local.json, which is yours
alone. Hooks that are in the shared .claude/settings.json stay there unless --local moves them.""",
    (Positional("AGENT", "claude-code, codex, gemini, opencode or qwen"),),
    (
        PROJECT,
        USER,
        Option(("--local",), "Use the project's settings that are yours alone (default)"),
        Option(("--shared",), "Use the project's settings that are shared through git"),
        Option(("--machine",), "Capture the whole machine instead of the nearest workspace"),
        Option(("--gate",), "Require approval for actions on the outside world"),
        Option(("--mcp",), "Also register the MCP server (`clew mcp`)"),
        Option(("--skill",), "Also install the skill that explains when to save and restore"),
        Option(("--instructions",), "Also add instructions to AGENTS.md or its equivalent"),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    scope = scope_of(args)
    context.monitor.hurry()  # the first checkpoint reads every file
    result = context.setup.enable(
        args.one("AGENT"),
        context.directory or ".",
        scope=scope or "project",
        shared=_is_shared(args),
        machine=args.given("--machine"),
        gate=args.given("--gate"),
        skill=args.given("--skill"),
        instructions=args.given("--instructions"),
        mcp=args.given("--mcp"),
        store=context.store,
        monitor=context.monitor,
    )
    context.emit(lambda: json_setup.enabled(result), lambda: setup.enabled(result))
    return ExitCode.DONE


def _is_shared(args: Arguments) -> bool | None:
    """Return whether the shared file was requested; None if neither file was."""
    if args.given("--shared") and args.given("--local"):
        raise BadOption("--shared", "cannot be combined with --local")
    if args.given("--local"):
        return False
    return True if args.given("--shared") else None
