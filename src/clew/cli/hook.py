"""`clew hook`; `app` handles real hook calls without this module, which is faster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option, Positional

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "hook",
    "Handle an agent's hook event",
    """\
Reads one event (a JSON object) from standard input, creates a checkpoint if one is due, and prints
the response for the agent. Agents call it; `clew enable` sets it up.
Always exits with 0; `clew doctor` shows failures.""",
    (Positional("AGENT", "claude-code, codex, gemini, opencode or qwen"),),
    (Option(("--machine",), "Capture the whole machine instead of the nearest workspace"),),
)


def run(args: Arguments, context: CommandContext) -> int:
    from clew.agents.hooks.entry import run as answer

    machine = ["--machine"] if args.given("--machine") else []
    return answer([args.one("AGENT"), *machine])
