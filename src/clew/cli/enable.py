"""`clew enable`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.cli.scopes import PROJECT, USER, scope_of
from clew.render import json_setup, setup

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "enable",
    "Have an agent's work kept by itself",
    """\
A first checkpoint is made there and then. After that the agent tells clew what it does, by hooks in
its settings: a checkpoint before what may destroy and after each batch of tool calls, if files changed.
AGENT is claude-code, codex, gemini, opencode or qwen.
Only entries of our own are written, and `clew disable` takes them out without a trace; settings with
comments or errors are refused as they are.
What is kept is the nearest workspace, or with --machine everything, packages and services included.""",
    (Positional("AGENT", "Which one"),),
    (
        PROJECT,
        USER,
        Option(("--machine",), "Keep the whole machine, not only this directory"),
        Option(("--gate",), "Have acts on the outside world need a yes"),
        Option(("--mcp",), "Also give it the commands as tools, by `clew mcp`"),
        Option(("--skill",), "Also install the skill that teaches when to save and to go back"),
        Option(("--instructions",), "Also put a few lines on clew into AGENTS.md or its like"),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    scope = scope_of(args)
    context.monitor.hurry()  # the first checkpoint reads everything once
    result = context.setup.enable(
        args.one("AGENT"),
        context.directory or ".",
        scope=scope or "project",
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
