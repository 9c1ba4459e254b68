"""`clew delete`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import REFS, Command, Option
from clew.cli.exits import ExitCode
from clew.render import json, upkeep

if TYPE_CHECKING:
    from clew.cli.context import Context
    from clew.cli.parse import Arguments

COMMAND = Command(
    "delete",
    "Remove checkpoints",
    """\
The space that only they take is freed.
With --purge their bytes are removed from the disk for good, a leaked secret for instance; where
another checkpoint still holds some of them, that is said.""",
    (REFS,),
    (Option(("--purge",), "Remove their bytes for good, now"),),
)


def run(args: Arguments, context: Context) -> int:
    with context.open() as workspace:
        result = workspace.delete(
            args.all("REF"), purge=args.given("--purge"), monitor=context.monitor
        )
    look = context.look()
    context.emit(lambda: json.deleted(result), lambda: upkeep.deleted(result, look))
    return ExitCode.DONE
