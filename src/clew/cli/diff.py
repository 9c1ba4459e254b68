"""`clew diff`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.cli.declare import Command, Option, Positional
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
    "Show what differs between two moments",
    """\
Without B, A is compared with the workspace as it is now; without A, the last checkpoint is.
A added, M modified, D deleted, R renamed, T of another type, m other metadata.
A patch is for reading: control characters in it are spelled out. `--patch --json` has it exact.""",
    (
        Positional("A", "The older checkpoint; by default the last one", required=False),
        Positional("B", "The newer checkpoint; by default the workspace now", required=False),
        Positional("PATH", "Compare only these", required=False, many=True, after_dashes=True),
    ),
    (
        Option(("--name-status",), "Print only a letter and a path for each change"),
        Option(("--stat",), "Print how many bytes each path gained or lost"),
        Option(("--patch",), "Print the changed lines of text files, secrets left out"),
        Option(("--facts",), "Tell what the differences mean"),
        Option(("--show-secrets",), "Leave nothing out of a patch"),
    ),
)


def run(args: Arguments, context: CommandContext) -> int:
    shape = _shape(args)
    if args.given("--show-secrets") and shape != "--patch":
        raise BadOption("--show-secrets", "only a patch has any; give --patch too")
    with context.open() as workspace:
        difference = workspace.diff(
            args.maybe("A"), args.maybe("B"), paths=args.all("PATH"),
            story=shape == "--facts" or context.as_json, monitor=context.monitor,
        )  # fmt: skip
        secrets = args.given("--show-secrets")
        patch = workspace.patch(difference, secrets=secrets) if shape == "--patch" else None
        look = context.look()
        context.emit(
            lambda: json.difference(difference, patch),
            lambda: _lines(difference, shape, patch, look),
        )
    return ExitCode.DONE


def _shape(args: Arguments) -> str | None:
    given: Sequence[str] = [shape for shape in SHAPES if args.given(shape)]
    if len(given) > 1:
        raise BadOption(given[0], f"cannot be given together with {given[1]}")
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
