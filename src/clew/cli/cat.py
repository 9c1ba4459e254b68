"""`clew cat`."""

from __future__ import annotations

from codecs import getincrementaldecoder
from typing import TYPE_CHECKING

from clew.cli.declare import REF, Command, Positional
from clew.cli.exits import ExitCode
from clew.render import json
from clew.render.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "cat",
    "Print a file from a checkpoint",
    """\
Prints the exact bytes, except on a terminal, where control characters are escaped.""",
    (REF, Positional("PATH", "File to print")),
)


def run(args: Arguments, context: CommandContext) -> int:
    path = args.one("PATH")
    with context.open() as workspace:
        pieces = workspace.cat(args.one("REF"), path, monitor=context.monitor)
        if context.as_json:
            name = path.encode("utf-8", "surrogateescape")
            content = b"".join(pieces)
            context.emit(lambda: json.content(name, content), lambda: ())
        elif context.terminal.stdout.isatty():
            _show(pieces, context)
        else:
            _copy(pieces, context)
    return ExitCode.DONE


def _show(pieces: Iterable[bytes], context: CommandContext) -> None:
    decoder = getincrementaldecoder("utf-8")("surrogateescape")
    for piece in pieces:
        context.terminal.stdout.write(safe(decoder.decode(piece), keep="\n\t"))
    context.terminal.stdout.write(safe(decoder.decode(b"", final=True), keep="\n\t"))


def _copy(pieces: Iterable[bytes], context: CommandContext) -> None:
    context.terminal.stdout.flush()
    output = context.terminal.binary_output
    for piece in pieces:
        output.write(piece)
    output.flush()
