"""`clew grep`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import REVEAL, Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.render import grep, json_grep

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

_LINES = 100
"""Lines that are listed by default; JSON has all."""

COMMAND = Command(
    "grep",
    "Find lines of files in all checkpoints",
    """\
Searches the contents of files in all checkpoints of the workspace, or in one with --at. Each line of a
file is listed once, with the checkpoints that hold it; its number is that in the newest of them.
"Still there" means the current checkpoint; unsaved changes are not searched.
PATTERN is a regular expression of Python. What may be a secret is redacted, unless --reveal is given.
Generated directories (node_modules, .venv, build output) and .git are left out, unless --generated is
given or PATH names them. Files above 64 MiB are not searched, and a pattern that takes too long in a
file is stopped there.""",
    (
        Positional("PATTERN", "Regular expression; put -- before one that starts with -"),
        Positional("PATH", "Files and directories to search", required=False, many=True),
    ),
    (
        Option(("--at",), "Search only the checkpoint REF", "REF"),
        Option(("--all",), "Search all checkpoints; this is the default"),
        Option(("-F", "--fixed"), "Search for the text itself, not a regular expression"),
        Option(("-i", "--ignore-case"), "Ignore case"),
        Option(("-l", "--files"), "List only the files"),
        Option(("-n", "--limit"), f"Show at most N lines (default {_LINES})", "N"),
        Option(("--generated",), "Also search generated directories and .git"),
        REVEAL,
    ),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    at = args.maybe("--at")
    if at is not None and args.given("--all"):
        raise BadOption("--at", "cannot be combined with --all")
    limit = args.number("--limit", least=1)
    if limit is None and not context.as_json:
        limit = _LINES
    with context.open() as workspace:
        found = workspace.grep(
            args.one("PATTERN"), paths=args.all("PATH"), at=at, fixed=args.given("--fixed"),
            ignore_case=args.given("--ignore-case"), only_files=args.given("--files"),
            generated=args.given("--generated"), reveal=context.reveals, limit=limit,
            monitor=context.monitor,
        )  # fmt: skip
    look = context.look()
    context.emit(
        lambda: json_grep.found(found), lambda: grep.lines(found, look, with_ranges=at is None)
    )
    for sentence in grep.notes(found):
        context.say(sentence)
    return ExitCode.DONE
