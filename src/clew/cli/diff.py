"""`clew diff`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import REVEAL, Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.render import changes, json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments
    from clew.model.results import Difference
    from clew.render.style import Style

SHAPES = ("--name-status", "--stat", "--patch", "--facts")

COMMAND = Command(
    "diff",
    "Compare two checkpoints, or one with the workspace",
    """\
Without B, compares A with the current workspace; without A, the last checkpoint with it.
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
        REVEAL,
    ),
    pages=True,
)


def run(args: Arguments, context: CommandContext) -> int:
    shape = _shape(args)
    with context.open() as workspace:
        difference = workspace.diff(
            args.maybe("A"), args.maybe("B"), paths=args.all("PATH"),
            story=shape == "--facts" or context.as_json, monitor=context.monitor,
        )  # fmt: skip
        patch = None
        if shape == "--patch":
            patch = workspace.patch(difference, reveal=context.reveals)
        look = context.look()
        context.emit(
            lambda: json.difference(difference, patch),
            lambda: _lines(difference, shape, patch, look),
        )
    return ExitCode.DONE


def _shape(args: Arguments) -> str | None:
    given: Sequence[str] = [shape for shape in SHAPES if args.given(shape)]
    if len(given) > 1:
        raise BadOption(given[0], f"cannot be combined with {given[1]}")
    return given[0] if given else None


def _lines(
    difference: Difference, shape: str | None, patch: Iterable[str] | None, look: Style
) -> Iterable[str]:
    if patch is not None:
        return changes.patch(patch, look)
    match shape:
        case "--name-status":
            return changes.name_status(difference)
        case "--facts":
            return changes.facts(difference, look)
        case "--stat":
            return changes.stat(difference, look)
        case _:
            return changes.listing(difference, look)
