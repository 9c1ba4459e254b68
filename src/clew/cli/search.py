"""`clew search`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.render import json_search, search

if TYPE_CHECKING:
    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

_CHECKPOINTS = 20
"""Checkpoints that are listed by default; JSON has all."""

COMMAND = Command(
    "search",
    "Find checkpoints by what was intended, changed or said",
    """\
Searches intents, names and descriptions; notes; the commands of checks; headlines; facts; changed
paths; and the messages of agents' sessions, each at the first checkpoint that has it. All words of
TEXT must be in one of these texts, in any order and in either case.
Nothing is derived for it: facts are those of stored stories. Paths and conversations are searched for
five seconds each, and a note says what was left out; a section that --in names is searched completely.
`clew grep` searches the contents of files.""",
    (Positional("TEXT", "Words to search for", many=True),),
    (
        Option(("-n", "--limit"), f"Show at most N checkpoints (default {_CHECKPOINTS})", "N"),
        Option(
            ("--in",),
            "Search only these, separated by commas: intents, notes, checks, headlines, facts, paths,"
            " conversation",
            "SECTIONS",
        ),
        Option(("--all-workspaces",), "Search all workspaces of the store, from anywhere"),
    ),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    text = " ".join(args.all("TEXT"))
    chosen = args.maybe("--in")
    sections = [one.strip() for one in chosen.split(",")] if chosen is not None else []
    limit = args.number("--limit", least=1)
    if limit is None and not context.as_json:
        limit = _CHECKPOINTS
    if args.given("--all-workspaces"):
        if context.named is not None:
            raise BadOption("--all-workspaces", "cannot be combined with --workspace")
        found = context.library.search(text, context.store, sections=sections, limit=limit)
    else:
        with context.open() as workspace:
            found = workspace.search(text, sections=sections, limit=limit, monitor=context.monitor)
    look = context.look()
    with_workspace = args.given("--all-workspaces")
    context.emit(
        lambda: json_search.found(found),
        lambda: search.lines(found, look, with_workspace=with_workspace),
    )
    for note in found.notes:
        context.say(note)
    if not found.matches:
        context.say("Nothing found; `clew grep` searches the contents of files")
    elif found.more:
        context.say(f"{found.more:,} more; show them with -n {len(found.matches) + found.more}")
    return ExitCode.DONE
