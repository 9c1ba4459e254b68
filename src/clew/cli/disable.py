"""`clew disable`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Positional
from clew.cli.exits import ExitCode
from clew.cli.scopes import PROJECT, USER, scope_of
from clew.render import json_setup, setup

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.setup_results import Disabled

COMMAND = Command(
    "disable",
    "Remove clew from an agent's settings",
    """\
Removes everything that `clew enable` wrote and nothing else; the history is kept.
Without --project or --user, removes it from both.""",
    (Positional("AGENT", "Agent (default: all agents)", required=False),),
    (PROJECT, USER),
)


def run(args: Arguments, context: CommandContext) -> int:
    result = context.setup.disable(
        args.maybe("AGENT"), context.directory or ".", scope=scope_of(args), store=context.store
    )
    context.emit(lambda: json_setup.disabled(result), lambda: setup.disabled(result))
    return _code(result)


def _code(result: Disabled) -> int:
    return ExitCode.DONE if all(one.needed for one in result.left) else ExitCode.PARTIAL
