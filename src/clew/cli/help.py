"""Help text, generated from the command declarations."""

from __future__ import annotations

from clew.cli.commands import GROUPS
from clew.cli.declare import COMMON, TOP, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TAGLINE = "Snapshot history of a directory tree or a whole machine: save, inspect, restore"


_NARROWEST = 20
"""Columns of text below which a table is not wrapped."""


def overview(columns: int) -> Iterator[str]:
    """Yield the lines of `clew --help`."""
    verbs = max(len(verb) for _, commands in GROUPS for verb, _ in commands)
    yield TAGLINE
    yield ""
    yield "Usage: clew COMMAND [ARGUMENT]..."
    for heading, commands in GROUPS:
        yield ""
        yield f"{heading}:"
        yield from _table(commands, columns, verbs)
    yield ""
    yield "Options, before or after the command:"
    yield from _table([(option.usage, option.description) for option in TOP], columns)
    yield ""
    yield "Start with `clew save`. See `clew COMMAND --help` for each command."
    yield "`clew help excludes` explains exclude patterns."


def page(command: Command, columns: int) -> Iterator[str]:
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
        rows = [(item.noun, item.description) for item in command.positionals]
        yield from _table(rows, columns)
    if command.options:
        yield ""
        yield "Options:"
        yield from _options(command.options, columns)
    for heading, table in command.tables:
        yield ""
        yield f"{heading}:"
        yield from _table(table, columns)
    yield ""
    yield "Common options:"
    yield from _options(COMMON, columns)


def _options(options: tuple[Option, ...], columns: int) -> Iterator[str]:
    return _table([(option.usage, option.full_description) for option in options], columns)


def _table(rows: Sequence[tuple[str, str]], columns: int, width: int = 0) -> Iterator[str]:
    """Yield rows of two columns, the left one at least `width` wide, the right one wrapped."""
    width = max(width, *(len(left) for left, _ in rows))
    for left, right in rows:
        first, *more = _wrapped(right, columns - width - 4)
        yield f"  {left:<{width}}  {first}"
        yield from (f"{'':<{width}}    {line}" for line in more)


def _wrapped(text: str, columns: int) -> Iterator[str]:
    """Yield the lines of `text`, without the import of `textwrap`."""
    line = ""
    for word in text.split(" "):
        if line and columns >= _NARROWEST and len(line) + 1 + len(word) > columns:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line
