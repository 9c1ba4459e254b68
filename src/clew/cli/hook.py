"""`clew hook`: what agents call; `app` answers them without the command line, which is slower."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option, Positional

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "hook",
    "Answer an agent's hook",
    """\
Reads one event, a JSON object, on standard input, keeps what is due, and writes what the agent is
to be told. `clew enable` has an agent call it; there is no need to do so by hand.
The exit code is always 0: whatever goes wrong is in the log that `clew doctor` shows.""",
    (Positional("AGENT", "claude-code, codex, gemini, opencode or qwen"),),
    (Option(("--machine",), "Keep the whole machine, not the nearest workspace"),),
)


def run(args: Arguments, context: CommandContext) -> int:
    from clew.agents.hooks.entry import run as answer

    machine = ["--machine"] if args.given("--machine") else []
    return answer([args.one("AGENT"), *machine])
