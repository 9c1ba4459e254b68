"""`clew doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option
from clew.cli.exits import ExitCode
from clew.cli.explain import hint_for
from clew.render import json_setup, setup

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "doctor",
    "Diagnose the setup of agents, workspace and store",
    """\
Reads the settings of every agent and the log of failed hooks, and exercises the rest: runs the
configured hooks with a test event, starts the registered MCP servers, saves and restores a temporary
workspace on the disk of the store, and compares the agents' transcripts with their last hooks.
Leaves no checkpoint and no session behind.
Each problem has a remedy. Exits with 1 if there is a problem.""",
    (),
    (Option(("--forget",), "Clear the log of failed hooks"),),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    found = context.setup.doctor(
        context.directory or ".",
        store=context.store,
        forget=args.given("--forget"),
        explain=lambda error: hint_for(error, COMMAND.name),
    )
    look = context.look()
    context.emit(lambda: json_setup.checkup(found), lambda: setup.checkup(found, look))
    return ExitCode.FAILED if found.problems else ExitCode.DONE
