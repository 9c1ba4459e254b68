"""Help text, generated from the command declarations."""

from __future__ import annotations

from clew.cli.commands import GROUPS
from clew.cli.declare import COMMON, TOP, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TAGLINE = "Snapshot history of a directory tree or a whole machine: save, inspect, restore"


def overview() -> Iterator[str]:
    """Yield the lines of `clew --help`."""
    yield TAGLINE
    yield ""
    yield "Usage: clew COMMAND [ARGUMENT]..."
    for heading, commands in GROUPS:
        yield ""
        yield f"{heading}:"
        for verb, summary in commands:
            yield f"  {verb:<11}{summary}"
    yield ""
    yield "Options, before or after the command:"
    yield from _table([(option.usage, option.description) for option in TOP])
    yield ""
    yield "Start with `clew save`. See `clew COMMAND --help` for each command."


def page(command: Command) -> Iterator[str]:
    """Yield the lines of `clew COMMAND --help`."""
    yield command.summary
    yield ""
    yield f"Usage: {command.usage}"
    if command.aliases:
        yield f"Alias: {', '.join(f'clew {alias}' for alias in command.aliases)}"
    if command.description:
        yield ""
        yield from command.description.strip().splitlines()
    if command.positionals:
        yield ""
        yield "Arguments:"
        yield from _table([(item.noun, item.description) for item in command.positionals])
    if command.options:
        yield ""
        yield "Options:"
        yield from _options(command.options)
    yield ""
    yield "Common options:"
    yield from _options(COMMON)


def _options(options: tuple[Option, ...]) -> Iterator[str]:
    return _table([(option.usage, option.full_description) for option in options])


def _table(rows: list[tuple[str, str]]) -> Iterator[str]:
    width = max(len(left) for left, _ in rows)
    for left, right in rows:
        yield f"  {left:<{width}}  {right}"
