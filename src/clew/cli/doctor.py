"""`clew doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option
from clew.cli.exits import ExitCode
from clew.render import json_setup, setup

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "doctor",
    "Diagnose the setup of agents, workspace and store",
    """\
Checks the settings of every agent, the workspace, the store, and the log of failed hooks. Each
problem has a hint. Exits with 1 if there is a problem.""",
    (),
    (Option(("--forget",), "Clear the log of failed hooks"),),
)


def run(args: Arguments, context: CommandContext) -> int:
    found = context.setup.doctor(
        context.directory or ".", store=context.store, forget=args.given("--forget")
    )
    look = context.look()
    context.emit(lambda: json_setup.checkup(found), lambda: setup.checkup(found, look))
    return ExitCode.FAILED if found.problems else ExitCode.DONE
