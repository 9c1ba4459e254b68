"""`clew diff`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import ALL, HOW_TO_LIST_ALL, REVEAL, Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.render import changes, json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.change import Change
    from clew.model.results import Difference

SHAPES = ("--name-status", "--stat", "--patch", "--facts")

COMMAND = Command(
    "diff",
    "Compare two checkpoints, or one with the workspace",
    """\
Without B, compares A with the current workspace; without A, the last checkpoint with it.
A word that names no checkpoint, but an existing path, limits the comparison: `clew diff src`,
`clew diff @~2 src`.
Facts come first; generated directories are folded as in `clew status --help`, with --stat and --patch
too; --all or a path inside lists them. --name-status and --json are always complete.
Letters: A added, M modified, D deleted, R renamed, T type changed, m metadata changed.
Patches escape control characters; `--patch --json` prints the exact text.""",
    (
        Positional("A", "Older checkpoint (default: the last one)", required=False),
        Positional("B", "Newer checkpoint (default: the current workspace)", required=False),
        Positional(
            "PATH",
            "Limit the comparison to these paths",
            required=False,
            many=True,
            after_dashes=True,
        ),
    ),
    (
        Option(("--name-status",), "Print one letter and path per change"),
        Option(("--stat",), "Print the size change of each path"),
        Option(("--patch",), "Print a unified diff of text files, with secrets redacted"),
        Option(("--facts",), "Print the changes as facts: packages, services, tables, keys"),
        ALL,
        REVEAL,
    ),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    shape = _shape(args)
    with context.open() as workspace:
        difference = workspace.diff(
            args.maybe("A"), args.maybe("B"), paths=args.all("PATH"), guess=True,
            story=shape == "--facts" or context.as_json, monitor=context.monitor,
        )  # fmt: skip
        look = context.look()

        def read(wanted: Difference, binary: list[Change] | None) -> Iterable[str]:
            return workspace.patch(wanted, reveal=context.reveals, binary=binary)

        def lines() -> Iterable[str]:
            everything = args.given("--all")
            match shape:
                case "--patch":
                    return changes.patched(
                        difference, read, look, HOW_TO_LIST_ALL, everything=everything
                    )
                case "--name-status":
                    return changes.name_status(difference)
                case "--facts":
                    return changes.facts(difference, look)
                case "--stat":
                    return changes.stat(difference, look, HOW_TO_LIST_ALL, everything=everything)
                case _:
                    return changes.with_story(
                        difference, look, HOW_TO_LIST_ALL, everything=everything,
                        told=lambda: workspace.story(difference, seconds=_SECONDS),
                    )  # fmt: skip

        in_json = read(difference, None) if shape == "--patch" else None
        context.emit(lambda: json.difference(difference, in_json), lines)
    return ExitCode.DONE


_SECONDS = 1.0
"""Processor time for the story."""


def _shape(args: Arguments) -> str | None:
    given: Sequence[str] = [shape for shape in SHAPES if args.given(shape)]
    if len(given) > 1:
        raise BadOption(given[0], f"cannot be combined with {given[1]}")
    return given[0] if given else None
