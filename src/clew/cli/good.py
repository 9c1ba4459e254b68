"""`clew good`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command
from clew.cli.exits import ExitCode
from clew.render import card, json

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "good",
    "Show the newest checkpoint that passes its check",
    """\
If a check is configured (`clew config set verify COMMAND`), only its results and verdicts noted by
hand (`clew verdict`) count; otherwise the latest result of any check.
Flaky results, and results of checks whose inputs changed while they ran, do not count.
Restore it with `clew restore good`.""",
)


def run(args: Arguments, context: CommandContext) -> int:
    with context.open() as workspace:
        found = workspace.good(monitor=context.monitor)
    look = context.look()
    context.emit(lambda: json.found(found), lambda: card.vouched(found, look))
    return ExitCode.DONE
