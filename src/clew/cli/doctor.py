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
    "Tell whether agents are enabled and their work is kept",
    """\
Looks at the settings of every agent, the workspace, its store, and at hooks that failed.
Each problem comes with the next step; the exit code is 1 if there is one.""",
    (),
    (Option(("--forget",), "Forget the failures of hooks that are listed"),),
)


def run(args: Arguments, context: CommandContext) -> int:
    found = context.setup.doctor(
        context.directory or ".", store=context.store, forget=args.given("--forget")
    )
    look = context.look()
    context.emit(lambda: json_setup.checkup(found), lambda: setup.checkup(found, look))
    return ExitCode.FAILED if found.problems else ExitCode.DONE
